/** A project whose agent makes a red test green, proved or not; and another clone of it, in which receipts are verified. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Receipt, type ReceiptCheck, type ReceiptPredicate, receiptOf } from '../../../src/core/proof/receipt.ts';
import type { Exited } from '../programs/program.ts';
import { DONE } from '../scene.ts';
import { checkoutsOf, FIX, type ProofScene, type ProofSceneOptions, proofScene } from './proof-scene.ts';

export interface ReceiptScene extends ProofScene {
  readonly clone: string;
  /** Makes the clone, with what the project has by then. */
  cloned(): void;
  /** `ralph verify --yes` in it, without a sandbox. */
  verify(...args: string[]): Promise<Exited>;
  inClone(...args: string[]): string;
  receipt(): Receipt;
  /** Writes another one, in which something was changed. */
  tampered(change: (predicate: ReceiptPredicate) => ReceiptPredicate): string;
  /** What was made and should be gone: folders of checkouts, and those for logs. */
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

/** For all of its checks. */
export function withChecks(given: Partial<ReceiptCheck>): (predicate: ReceiptPredicate) => ReceiptPredicate {
  return (predicate) => ({ ...predicate, checks: predicate.checks.map((check) => ({ ...check, ...given })) });
}

/** As if it were of what is checked out in the clone. */
export function ofClone({ inClone }: ReceiptScene): (predicate: ReceiptPredicate) => ReceiptPredicate {
  const [commit = '', tree = ''] = ['HEAD', 'HEAD^{tree}'].map((name) => inClone('rev-parse', name).trim());
  return (predicate) => ({ ...predicate, at: { commit, tree } });
}
