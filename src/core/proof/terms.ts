/** What a loop that proves its work is asked: by flags, by the settings, and when it is continued. Pure. */
import { RalphError } from '../error.ts';
import type { ProofTerms } from './proof.ts';

/** What flags and programs say of it; the rest comes from the settings. */
export type ProveRequest = Partial<ProofTerms> & {
  readonly isOn?: boolean;
};

/** What the settings say of it. */
export interface ProofSettings {
  readonly setup?: string | undefined;
  readonly include?: readonly string[] | undefined;
  readonly pin?: readonly string[] | undefined;
  readonly allowEdit?: readonly string[] | undefined;
  readonly acceptFlaky?: boolean | undefined;
}

/** With what else than before a loop that proves its work is continued. */
export type ProofChange = Partial<Pick<ProofTerms, 'allowEdit' | 'acceptFlaky'>>;

/** On where a flag or the settings say so. */
const isOn = (asked: ProveRequest, set: ProofSettings | undefined): boolean => asked.isOn ?? set !== undefined;

/** A flag that says how to prove is a mistake where nothing is proved. The same in the settings is only not needed. */
export function whyIdle(asked: ProveRequest = {}, set?: ProofSettings): RalphError | null {
  if (isOn(asked, set)) return null;
  const { pins = [], allowEdit = [], acceptFlaky } = asked;
  const given = [pins.length > 0 && '--pin', allowEdit.length > 0 && '--allow-edit', acceptFlaky && '--accept-flaky'];
  const flag = given.find((one) => typeof one === 'string');
  if (flag === undefined) return null;
  const hint = asked.isOn === false ? `Leave out --no-prove or ${flag}.` : `Add --prove, or leave out ${flag}.`;
  return new RalphError('NO_PROOF', `${flag} works only with a proof, and there is none`, { hint });
}

export function proofTerms(asked: ProveRequest = {}, set?: ProofSettings): ProofTerms | undefined {
  if (!isOn(asked, set)) return undefined;
  return {
    setup: asked.setup ?? set?.setup ?? null,
    include: [...(set?.include ?? []), ...(asked.include ?? [])],
    pins: [...(set?.pin ?? []), ...(asked.pins ?? [])],
    allowEdit: [...(set?.allowEdit ?? []), ...(asked.allowEdit ?? [])],
    acceptFlaky: asked.acceptFlaky ?? set?.acceptFlaky ?? false,
  };
}

/** The same terms with what a clean checkout needs as the settings have it now; the very same where that is as it was. */
export function placeOf(terms: ProofTerms, set: ProofSettings | undefined): ProofTerms {
  const next = { ...terms, setup: set?.setup ?? terms.setup, include: [...(set?.include ?? terms.include)] };
  return JSON.stringify(next) === JSON.stringify(terms) ? terms : next;
}

const SETTINGS = '.ralph/settings.json';

/** The flags that let a loop take over checks that were changed since it began. */
export const FREES_SETTINGS = ['--allow-edit', SETTINGS] as const;

/** Paths begin at the top of the repository, where the settings need not be. */
export const freesSettings = ({ allowEdit }: Pick<ProofTerms, 'allowEdit'>): boolean =>
  allowEdit.some((path) => path === SETTINGS || path.endsWith(`/${SETTINGS}`));

/** Undefined where nothing changes. Paths that were freed before stay free. */
export function continuedProof(terms: ProofTerms | undefined, change: ProofChange): ProofTerms | undefined {
  if (Object.keys(change).length === 0) return undefined;
  if (terms === undefined) {
    const what = 'this loop proves nothing: --allow-edit and --accept-flaky do not apply to it';
    throw new RalphError('NO_PROOF', what, { hint: 'Start a new one with --prove.' });
  }
  const { allowEdit = [], acceptFlaky = terms.acceptFlaky } = change;
  return { ...terms, allowEdit: [...new Set([...terms.allowEdit, ...allowEdit])], acceptFlaky };
}
