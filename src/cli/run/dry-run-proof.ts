/** What `--dry-run` says about the proof: its settings, and where their values come from. */
import { filesIn } from '../../checks/detect.ts';
import type { Settings } from '../../config/settings.ts';
import type { ProofTerms } from '../../core/proof/proof.ts';
import type { ProveRequest } from '../../core/proof/terms.ts';
import { detectSetup } from '../../proof/setup.ts';

/** All settings of the proof if the loop proves its work, otherwise none. */
export function proofShown({ proof, ...settings }: Settings, terms: ProofTerms | undefined): Settings {
  if (terms === undefined) return settings;
  return { ...settings, proof: { include: [], pin: [], allowEdit: [], acceptFlaky: false, ...proof } };
}

/** The values that do not come from the settings alone. */
export function proofOrigins(
  asked: ProveRequest = {},
  terms: ProofTerms | undefined,
  { set, cwd }: { readonly set: Settings['proof']; readonly cwd: string },
): readonly (readonly [path: string, origin: string, value: unknown])[] {
  if (terms === undefined) return [['proof', '--no-prove', set === undefined ? null : false]];
  const { pins, allowEdit, acceptFlaky } = asked;
  const added = (flag: string, ofSettings: unknown): string =>
    ofSettings === undefined ? flag : `settings and ${flag}`;
  return [
    ['proof.setup', 'detected', terms.setup === null ? detectSetup(filesIn(cwd)) : null],
    ['proof.pin', added('--pin', set?.pin), pins === undefined ? null : terms.pins],
    ['proof.allowEdit', added('--allow-edit', set?.allowEdit), allowEdit === undefined ? null : terms.allowEdit],
    ['proof.acceptFlaky', '--accept-flaky', acceptFlaky ?? null],
  ];
}
