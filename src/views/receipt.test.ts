import { expect, test } from 'vitest';
import { checked, inputs, STARTED, worked } from '../../test/support/loops/results.ts';
import { BASE, COMMIT, DIGEST, PROOF, TREE } from '../../test/support/proof/receipt.ts';
import { firstRecord, nextRecord, type Recorded, type Result } from '../core/record.ts';
import { runMachine } from '../loops/run/rules.ts';
import { loopProof, loopReceipt } from './receipt.ts';

const PLACE = { project: 'shop', folder: 'web', pinned: { 'test/a.js': 'f'.repeat(40) }, criteria: null };

function recordsOf(...results: readonly (readonly [key: string, result: Result])[]): Recorded[] {
  const base = {
    commit: 'a'.repeat(40),
    pins: { '.ralph/settings.json': DIGEST, '/home/me/.config/ralph/settings.json': null },
  };
  const created = {
    id: 'loop',
    loopKind: 'run',
    cwd: '/shop/web',
    release: '0.1.0',
    options: { prompt: 'fix it' },
    base,
  };
  const records = [firstRecord(created, 0)];
  for (const [seq, [key, result]] of results.entries())
    records.push(nextRecord({ seq }, { key, result, at: 1000 + seq }));
  return records;
}

const started = ['1/work/1/start', STARTED] as const;
const ended = ['end', { kind: 'ended', ending: { kind: 'done' } }] as const;
const stepped = (what: string, gave: unknown) => [`1/${what}/1`, { kind: 'stepped', what, gave }] as const;
const account = { isError: false, model: 'sonnet', costUsd: 0.5 };
const ran = (more: object = {}) => ['1/work/1/await', { ...worked('DONE'), ...more }] as const;
const read = ['1/inputs/1', inputs({ prompt: 'fix it' })] as const;

test('of a loop that proved its work, with what the checks were before it', () => {
  const records = recordsOf(
    read,
    stepped('prove-base', BASE),
    started,
    ran({ account }),
    stepped('prove', PROOF),
    ended,
  );
  const { subject, predicate } = loopReceipt(records, runMachine, PLACE);
  expect(subject).toEqual([{ name: 'shop', digest: { gitCommit: COMMIT } }]);
  expect(predicate).toMatchObject({
    isProved: true,
    folder: 'web',
    base: { commit: 'a'.repeat(40), tree: 'b'.repeat(40) },
    at: { commit: COMMIT, tree: TREE },
    loop: { id: 'loop', iterations: 1, models: ['sonnet'], cost: { usd: 0.5, source: 'reported', isComplete: true } },
    criteria: [{ id: null, acceptanceCriteria: [], checks: ['npm test'] }],
    checks: [{ command: 'npm test', exitCode: 0, atStart: 'failed', isWitness: true, tests: { passed: 2 } }],
    terms: { include: ['.env'] },
    pins: { files: PLACE.pinned, settings: { '.ralph/settings.json': DIGEST, '…/ralph/settings.json': null } },
  });
});

test('with what the last review said', () => {
  const review = (n: number, tag: string) => [`1/review/${n}/await`, { ...worked(tag), agent: 'codex' }] as const;
  const rejected = review(1, 'REJECTED: special cases');
  const proved = [stepped('prove-base', BASE), started, ran(), stepped('prove', PROOF)] as const;
  expect(loopReceipt(recordsOf(read, ...proved, ended), runMachine, PLACE).predicate.review).toBeNull();
  const records = recordsOf(read, ...proved, rejected, review(2, 'APPROVED'), ended);
  expect(loopReceipt(records, runMachine, PLACE).predicate.review).toEqual({ by: 'codex', verdict: 'approved' });
});

test('of one that never committed, by its files', () => {
  const proof = { ...PROOF, at: { at: '1'.repeat(40), tree: TREE, commit: null } };
  const records = recordsOf(read, stepped('prove-base', BASE), started, ran(), stepped('prove', proof), ended);
  expect(loopReceipt(records, runMachine, PLACE).subject).toEqual([{ name: 'shop', digest: { gitTree: TREE } }]);
});

test('one whose checks do not count says that nothing is proved', () => {
  const proof = { ...PROOF, checks: PROOF.checks.map((check) => ({ ...check, isExcused: true })) };
  const records = recordsOf(read, stepped('prove-base', BASE), started, ran(), stepped('prove', proof), ended);
  expect(loopReceipt(records, runMachine, PLACE).predicate.isProved).toBe(false);
});

test('the last proof counts, and one that does not hold is none', () => {
  const broken = { ...PROOF, findings: [{ is: 'unchanged' }] };
  const records = recordsOf(stepped('prove-base', BASE), stepped('prove', broken), stepped('prove', PROOF));
  expect(loopProof(records)?.proof).toEqual(PROOF);
  expect(
    loopProof(recordsOf(stepped('prove-base', BASE), stepped('prove', PROOF), stepped('prove', broken))),
  ).toBeNull();
  expect(loopProof(recordsOf(stepped('prove-base', BASE), stepped('prove', 'nonsense')))).toBeNull();
});

test('of a loop without a proof, by what its last iteration checked in the work tree', () => {
  const green = ['1/check/0', { ...checked(0, true), digest: DIGEST }] as const;
  const published = [
    '1/publish/0',
    { kind: 'published', index: 0, task: 'commit', status: 'done', detail: COMMIT },
  ] as const;
  const records = recordsOf(read, started, ran(), green, published, ended);
  const { predicate } = loopReceipt(records, runMachine, PLACE);
  expect(predicate).toMatchObject({
    isProved: false,
    at: { commit: COMMIT, tree: null },
    base: { commit: 'a'.repeat(40) },
    checks: [{ outcome: 'passed', exitCode: 0, log: { sha256: DIGEST }, atStart: null, tests: null }],
    terms: null,
  });
});

test('of a loop without a commit by the snapshot that its agent left; without either there is none', () => {
  const records = recordsOf(read, started, ran({ tree: { commit: '1'.repeat(40), tree: TREE } }), ended);
  expect(loopReceipt(records, runMachine, PLACE).predicate.at).toEqual({ commit: null, tree: TREE });
  const nowhere = recordsOf(read, started, ran(), ended);
  expect(() => loopReceipt(nowhere, runMachine, PLACE)).toThrow('name no commit and no files');
});
