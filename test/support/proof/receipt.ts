/** The receipt of a loop that was proved; a test changes the part that it is about. */
import type { BaseProof, Proof, ProvedCheck } from '../../../src/core/proof/proof.ts';
import type { ReceiptCheck, ReceiptPredicate } from '../../../src/core/proof/receipt.ts';

export const COMMIT = 'c'.repeat(40);
export const TREE = 'd'.repeat(40);
export const DIGEST = 'e'.repeat(64);

export function receiptCheck(given: Partial<ReceiptCheck> = {}): ReceiptCheck {
  return {
    command: 'npm test',
    outcome: 'passed',
    how: '2 tests',
    exitCode: 0,
    log: { sha256: DIGEST },
    check: null,
    timeoutMs: null,
    tests: { passed: 2, failed: 0, skipped: 0 },
    atStart: 'failed',
    isWitness: false,
    isFlaky: false,
    isExcused: false,
    ...given,
  };
}

export function receiptPredicate(given: Partial<ReceiptPredicate> = {}): ReceiptPredicate {
  return {
    loop: {
      id: '20261117-070000-0123abcd',
      kind: 'run',
      release: '0.1.0',
      task: 'fix it',
      startedAt: '2026-11-17T07:00:00.000Z',
      endedAt: '2026-11-17T07:05:00.000Z',
      iterations: 2,
      agent: 'claude',
      models: [],
      cost: { usd: 0.42, source: 'reported', isComplete: true },
    },
    isProved: true,
    folder: '',
    base: { commit: 'a'.repeat(40), tree: 'b'.repeat(40) },
    at: { commit: COMMIT, tree: TREE },
    setup: null,
    checks: [receiptCheck()],
    pinned: null,
    review: null,
    terms: { include: [], pins: [], allowEdit: [], acceptFlaky: false },
    pins: { files: { 'test/greet.test.js': 'f'.repeat(40) }, settings: { '.ralph/settings.json': DIGEST } },
    ...given,
  };
}

export function provedCheck(given: Partial<ProvedCheck> = {}): ProvedCheck {
  const kept = { durationMs: 1, log: '.ralph/x.log', output: '', truncated: false, digest: DIGEST };
  const tests = { passed: 2, failed: 0, skipped: 0 };
  return { command: 'npm test', outcome: { is: 'passed', how: '2 tests' }, ...kept, tests, ...given };
}

export const BASE: BaseProof = {
  at: { at: '1'.repeat(40), tree: 'b'.repeat(40), commit: 'a'.repeat(40) },
  setup: null,
  checks: [provedCheck({ outcome: { is: 'failed', how: 'exit 1, 1 of 2 tests failed', code: 1 } })],
  tests: DIGEST,
};

export const PROOF: Proof = {
  at: { at: COMMIT, tree: TREE, commit: COMMIT },
  setup: null,
  checks: [provedCheck({ isWitness: true })],
  pinned: null,
  terms: { setup: null, include: ['.env'], pins: [], allowEdit: [], acceptFlaky: false },
  findings: [],
};
