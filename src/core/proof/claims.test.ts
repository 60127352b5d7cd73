import { describe, expect, test } from 'vitest';
import {
  adviceFor,
  afterClaim,
  changedPins,
  freedSentences,
  NO_PROOFS,
  neverRedWords,
  problemOfBase,
  whereChecked,
  whyTampered,
  withBaseProof,
  withEverRed,
} from './claims.ts';
import type { BaseProof, Proof, ProofFinding, ProofRun } from './proof.ts';
import { continuedProof, proofTerms } from './terms.ts';

const AT = { at: 'c'.repeat(40), tree: 't', commit: '51affc0'.padEnd(40, '0') };
const red: ProofRun = {
  command: 'npm test',
  outcome: { is: 'failed', how: 'exit 1', code: 1 },
  durationMs: 1,
  log: 'a.log',
  output: '',
  truncated: false,
};
const green: ProofRun = { ...red, outcome: { is: 'passed' } };
const base = (more: Partial<BaseProof>): BaseProof => ({ at: AT, setup: null, checks: [], tests: '', ...more });
const proof = (...findings: ProofFinding[]): Proof => ({
  at: AT,
  setup: null,
  checks: [green],
  pinned: null,
  findings,
});
const PINNED: ProofFinding = { is: 'pinned', changed: ['a.test.js', 'b.test.js'], ...red };

describe('a loop begins', () => {
  const known = (isWitness: boolean, wasGreen: boolean) => () => ({
    isWitness,
    inTree: wasGreen ? green.outcome : red.outcome,
  });
  const unrunnable = { ...red, outcome: { is: 'unrunnable', code: 127 } } as const;

  test.each([
    ['there can be no clean checkout', { impossible: 'there is no git' }, known(false, false), 'there is no git'],
    ['the setup fails there', base({ setup: { ...red, command: 'npm ci' } }), known(false, false), '"npm ci" fails'],
    ['a witness is green', base({ checks: [green] }), known(true, true), 'the witness "npm test" passes'],
    ['a check is red only there', base({ checks: [red] }), known(false, true), 'but not in a clean checkout'],
    [
      'a check cannot be run only there, and is red',
      base({ checks: [unrunnable] }),
      known(false, false),
      '"npm test" cannot be run in a clean checkout',
    ],
  ])('not if %s', (_title, gave, checks, reason) => {
    expect(problemOfBase(gave, checks)).toMatchObject({
      kind: 'configuration',
      reason: expect.stringContaining(reason),
      hint: expect.stringMatching(/./),
    });
  });

  test('if checks are red in the work tree as well, or if everything is green', () => {
    expect(problemOfBase(base({ setup: green, checks: [red] }), known(false, false))).toBeNull();
    expect(problemOfBase(base({ checks: [green] }), known(false, true))).toBeNull();
    const neither = () => ({ isWitness: false, inTree: unrunnable.outcome });
    expect(problemOfBase(base({ checks: [unrunnable] }), neither)).toBeNull();
  });
});

describe('claims', () => {
  test('three in a row that the tests of the start reject end it; another kind of rejection resets the count', () => {
    const first = afterClaim(NO_PROOFS, proof(PINNED));
    const other = afterClaim(first, proof({ is: 'unchanged' }));
    expect([whyTampered(first), whyTampered(other), other.tampered]).toEqual([null, null, 0]);
    const second = afterClaim(first, proof(PINNED));
    const third = afterClaim(second, proof(PINNED));
    expect([whyTampered(second), whyTampered(third)]).toEqual([
      null,
      { kind: 'tampered', reason: expect.stringContaining('a.test.js, b.test.js were changed') },
    ]);
  });

  test('so do three whose tests are gone, skipped or unreported while files that control them were changed', () => {
    const changed = ['a.test.js'];
    const tests = { command: 'npm test', log: 'a.log' };
    const skipped: ProofFinding = { is: 'tests', ...tests, missing: [], skipped: ['a'], changed };
    const unreported: ProofFinding = { is: 'unreported', ...tests, changed };
    const last = [skipped, unreported, skipped].reduce((proofs, one) => afterClaim(proofs, proof(one)), NO_PROOFS);
    const reason =
      '"npm test": 1 test newly skipped: a; changed since the start: a.test.js. This happened 3 times in a row.';
    expect(whyTampered(last)).toEqual({ kind: 'tampered', reason });
    expect(changedPins(last)).toEqual(changed);
    expect(afterClaim(NO_PROOFS, proof({ is: 'unreported', ...tests })).tampered).toBe(0);
  });

  test('three in a row that fail without new tests are rejected, but are no tampering; the new files can be freed', () => {
    const added: ProofFinding = { is: 'pinned', changed: [], without: ['new.test.js'], ...red };
    const last = [added, added, added].reduce((proofs, one) => afterClaim(proofs, proof(one)), NO_PROOFS);
    expect([last.tampered, whyTampered(last)]).toEqual([0, null]);
    expect(changedPins(last)).toEqual(['new.test.js']);
    expect(adviceFor(added, AT)).toMatch(/^Make the checks pass without new tests.*\(--allow-edit new\.test\.js\)\.$/);
  });

  test('a check that was red anywhere does not count as never red', () => {
    const words = (proofs: typeof NO_PROOFS) => neverRedWords(proofs, ['npm test', 'make lint']);
    const of = (command: string, ran: ProofRun) => ({ ...ran, command });
    expect(words(NO_PROOFS)).toEqual([]);
    const begun = withBaseProof(NO_PROOFS, base({ checks: [green, of('make lint', green)] }));
    expect(words(begun)).toEqual(['Never red, not even before the work began: npm test, make lint.']);
    expect(words(withBaseProof(NO_PROOFS, base({ checks: [red, of('make lint', green)] })))).toEqual([
      'Never red, not even before the work began: make lint.',
    ]);
    const rejected = afterClaim(begun, { ...proof(), checks: [red] });
    expect(words(afterClaim(rejected, proof()))).toEqual(['Never red, not even before the work began: make lint.']);
    const pinned = { setup: null, checks: [of('make lint', red)], changed: [] };
    expect(words(afterClaim(rejected, { ...proof(), pinned }))).toEqual([]);
    const flaky = afterClaim(begun, { ...proof(), checks: [{ ...green, isFlaky: true }] });
    expect(words(withEverRed(flaky, ['make lint']))).toEqual([]);
  });

  test('the files that were in the way are named once', () => {
    expect(changedPins({ ...NO_PROOFS, last: proof(PINNED, PINNED) })).toEqual(['a.test.js', 'b.test.js']);
    expect(changedPins(NO_PROOFS)).toEqual([]);
  });

  test('the summary says where the checks passed', () => {
    const inTree = "checked in the agent's work tree";
    expect(whereChecked(NO_PROOFS)).toBe(inTree);
    expect(whereChecked({ ...NO_PROOFS, last: proof(PINNED) })).toBe(inTree);
    expect(whereChecked({ ...NO_PROOFS, last: proof() })).toBe('proved at 51affc0');
    const last = { ...proof(), at: { ...AT, commit: null } };
    expect(whereChecked({ ...NO_PROOFS, last: { ...last, checks: [] } })).toBe(inTree);
    expect(whereChecked({ ...NO_PROOFS, last: { ...last, checks: [{ ...red, isExcused: true }] } })).toBe(inTree);
    expect(whereChecked({ ...NO_PROOFS, last })).toBe('proved in a clean checkout');
  });

  test('a proof that holds names what the agent was allowed to change', () => {
    const terms = { setup: null, include: [], pins: [], allowEdit: ['test', 'Makefile'], acceptFlaky: false };
    const said = (last: Proof | null) => freedSentences({ ...NO_PROOFS, last });
    expect(said({ ...proof(), terms })).toEqual(['The agent was allowed to change test, Makefile (--allow-edit).']);
    expect(
      [null, proof(), { ...proof(), terms: { ...terms, allowEdit: [] } }, { ...proof(PINNED), terms }].flatMap(said),
    ).toEqual([]);
  });

  test('the agent gets advice where the finding alone does not say what to do', () => {
    expect(adviceFor(PINNED, AT)).toContain('Restore these files');
    expect(adviceFor({ is: 'red', ...red }, AT)).toContain('what is committed');
    expect(adviceFor({ is: 'red', ...red }, null)).toContain('no files that git ignores');
    expect(adviceFor({ is: 'impossible', reason: 'x' }, null)).toBeNull();
  });
});

describe('terms', () => {
  test('flags win over settings; lists of paths are combined', () => {
    expect(proofTerms()).toBeUndefined();
    expect(proofTerms({ isOn: false }, {})).toBeUndefined();
    expect(proofTerms({ pins: ['a'], acceptFlaky: true }, { setup: 'make', pin: ['b'], acceptFlaky: false })).toEqual({
      setup: 'make',
      include: [],
      pins: ['b', 'a'],
      allowEdit: [],
      acceptFlaky: true,
    });
  });

  test('a loop that is continued keeps the freed paths, each of them once', () => {
    const terms = proofTerms({ isOn: true, allowEdit: ['a'] });
    if (terms === undefined) throw new Error('it is on');
    expect(continuedProof(terms, { allowEdit: ['b', 'a'] })).toEqual({ ...terms, allowEdit: ['a', 'b'] });
    expect(continuedProof(terms, { acceptFlaky: true })).toEqual({ ...terms, acceptFlaky: true });
    expect(continuedProof(terms, {})).toBeUndefined();
    expect(() => continuedProof(undefined, { acceptFlaky: true })).toThrow('proves nothing');
  });
});
