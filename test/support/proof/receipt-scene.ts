/** A project whose agent makes a red test green, proved or not, and a clone of it in which receipts are verified. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Receipt, type ReceiptCheck, type ReceiptPredicate, receiptOf } from '../../../src/core/proof/receipt.ts';
import type { Exited } from '../programs/program.ts';
import { DONE } from '../scene.ts';
import { checkoutsOf, FIX, type ProofScene, type ProofSceneOptions, proofScene } from './proof-scene.ts';

export interface ReceiptScene extends ProofScene {
  readonly clone: string;
  /** Makes the clone of the project as it is now. */
  cloned(): void;
  /** `ralph verify --yes` in the clone, without a sandbox. */
  verify(...args: string[]): Promise<Exited>;
  inClone(...args: string[]): string;
  receipt(): Receipt;
  /** Writes a changed copy of the receipt; returns its path from the clone. */
  tampered(change: (predicate: ReceiptPredicate) => ReceiptPredicate): string;
  /** What should be gone: folders of checkouts and logs. */
  leftovers(): string[];
}

const COMMITS = { command: 'git', tasks: ['commit'], message: 'template' };

export function receiptScene(options: Partial<ProofSceneOptions> = {}): ReceiptScene {
  const scene = proofScene({ play: `${FIX}; ${DONE}`, ...options, settings: { scm: COMMITS, ...options.settings } });
  const clone = join(scene.folder, 'clone');
  const temporary = join(scene.folder, 'tmp');
  mkdirSync(temporary);
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: clone, env: scene.env, encoding: 'utf8' });
  scene.env.TMPDIR = temporary;
  const receipt = (): Receipt => JSON.parse(readFileSync(join(scene.folder, 'receipt.json'), 'utf8')) as Receipt;
  return {
    ...scene,
    clone,
    receipt,
    cloned: () => void execFileSync('git', ['clone', '--quiet', scene.work, clone], { env: scene.env }),
    verify: (...args) => scene.ralph(['verify', '--yes', '--no-sandbox', ...args], clone).exited,
    inClone: git,
    tampered(change) {
      const changed = receiptOf('work', change(receipt().predicate));
      writeFileSync(join(scene.folder, 'tampered.json'), JSON.stringify(changed));
      return '../tampered.json';
    },
    leftovers: () => [...readdirSync(temporary), ...checkoutsOf(scene)],
  };
}

/** Changes all checks of a receipt. */
export function withChecks(given: Partial<ReceiptCheck>): (predicate: ReceiptPredicate) => ReceiptPredicate {
  return (predicate) => ({ ...predicate, checks: predicate.checks.map((check) => ({ ...check, ...given })) });
}

/** Changes a receipt as if it were for what is checked out in the clone. */
export function ofClone({ inClone }: ReceiptScene): (predicate: ReceiptPredicate) => ReceiptPredicate {
  const [commit = '', tree = ''] = ['HEAD', 'HEAD^{tree}'].map((name) => inClone('rev-parse', name).trim());
  return (predicate) => ({ ...predicate, at: { commit, tree } });
}
