/** The rules of `ralph run` with random results: invariants that hold on every path. */
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Action } from '../../src/core/action.ts';
import { fold, loopMachine } from '../../src/core/machine/machine.ts';
import type { Outcome } from '../../src/core/outcome.ts';
import type { Recorded, Result } from '../../src/core/record.ts';
import { isOver } from '../../src/core/state.ts';
import { runRules } from '../../src/loops/run/rules.ts';
import type { RunInputs } from '../../src/loops/run/state.ts';
import { lastIterations } from '../../src/views/timeline/last-iterations.ts';
import { timelineOf } from '../../src/views/timeline/timeline.ts';
import { firstRecord, recordOf } from '../support/loops/play.ts';
import {
  checked,
  git,
  guardrail,
  INTERRUPTED,
  inputs,
  published,
  REQUEST,
  ran,
  STARTED,
  WAITED,
} from '../support/loops/results.ts';

const run = loopMachine(runRules);

const FAULTS: readonly Outcome[] = [
  { kind: 'infrastructure', reason: 'down' },
  { kind: 'hang', reason: 'silent' },
  { kind: 'interrupted', reason: 'unseen' },
];
const LAST_FAULTS: readonly Outcome[] = [
  { kind: 'auth', reason: 'who?' },
  { kind: 'blocked', reason: 'ask' },
  { kind: 'tampered', reason: 'changed' },
  { kind: 'limit', reason: 'used up', resetAt: null },
];

/** Weights for runs that work, fail or meet a fault. With equal weights, five in a row would hardly ever happen. */
const MOODS = [
  { works: 20, fails: 4, faults: 4 },
  { works: 1, fails: 10, faults: 1 },
  { works: 1, fails: 1, faults: 10 },
];

/** One throw of the dice determines one result, for any action. */
const dice = ({ works, fails, faults }: (typeof MOODS)[number]) =>
  fc.record({
    isInterrupted: fc.integer({ min: 0, max: 19 }).map((roll) => roll === 0),
    isGood: fc.boolean(),
    outcome: fc.oneof(
      { weight: works, arbitrary: fc.constant<Outcome>({ kind: 'worked' }) },
      { weight: fails, arbitrary: fc.constant<Outcome>({ kind: 'failed', exit: { by: 'signal', signal: 'SIGSEGV' } }) },
      { weight: faults, arbitrary: fc.constantFrom(...FAULTS) },
      { weight: 1, arbitrary: fc.constantFrom(...LAST_FAULTS) },
    ),
    tag: fc.constantFrom(null, 'DONE', 'done', 'Not yet.\u2028'),
    status: fc.constantFrom('done', 'nothing', 'failed'),
    edit: fc.option(
      fc.record({
        maximumIterations: fc.integer({ min: 1, max: 12 }),
        guardrails: fc.array(fc.constant(guardrail('c', 'APPEND')), { maxLength: 3 }),
        scm: fc.constantFrom(null, git('commit', 'push'), git('push')),
      }),
    ),
  });
type Dice = ReturnType<typeof dice> extends fc.Arbitrary<infer Thrown> ? Thrown : never;

interface Turn {
  readonly action: Action;
  readonly record: Recorded;
}

const HOURS = 6 * 3_600_000;
const SECONDS = 15_000;

/** Plays from the beginning until the dice are used up or the loop is over. */
function turns(throws: readonly Dice[]): { first: Recorded; turns: Turn[] } {
  // Some loops wait for limits and for long outages, others do not.
  const outages = throws[0]?.isGood === true ? { waits: true, budgetMs: HOURS } : { waits: false, budgetMs: SECONDS };
  const first = firstRecord('run', { ...REQUEST, outages });
  const made: Turn[] = [];
  let state = run.begin(first);
  for (const thrown of throws) {
    if (isOver(state)) break;
    const action = run.next(state);
    const record = recordOf(run, state, resultOf(action, thrown));
    state = run.apply(state, record);
    made.push({ action, record });
  }
  return { first, turns: made };
}

function resultOf(action: Action, { isInterrupted, isGood, outcome, tag, status, edit }: Dice): Result {
  if (action.do === 'end') return { kind: 'ended', ending: action.ending };
  if (isInterrupted) return INTERRUPTED;
  switch (action.do) {
    case 'read-inputs':
      return action.known === null || edit !== null ? inputs(edit ?? {}) : { kind: 'inputs', digest: action.known };
    case 'start':
      return STARTED;
    case 'await':
      return ran(outcome, tag);
    case 'check':
      return checked(action.check.index, isGood);
    case 'publish':
      return published(action.what.index, status);
    case 'step':
      throw new Error('this loopKind has no steps of its own');
    case 'wait':
      return WAITED;
  }
}

const paths = fc
  .oneof(...MOODS.map((mood) => fc.array(dice(mood), { minLength: 1, maxLength: 150, size: 'max' })))
  .map(turns);

/** Enough paths for many loops to end; each takes a fraction of a millisecond. */
function always(check: (path: { first: Recorded; turns: Turn[] }) => void): void {
  fc.assert(fc.property(paths, check), { numRuns: 500 });
}

test('the dice reach every ending', () => {
  const endings = fc.sample(paths, { numRuns: 500, seed: 1 }).map(({ turns }) => turns.at(-1)?.record.result);
  const kinds = new Set(endings.map((result) => (result?.kind === 'ended' ? result.ending.kind : 'unfinished')));
  const reached = ['auth', 'blocked', 'done', 'infrastructure', 'iteration-limit', 'kept-failing', 'tampered'];
  expect([...kinds].sort()).toEqual([...reached, 'unfinished', 'unpublished', 'usage-limit']);
});

test('keys are unique: only an interrupted action that is not a run is repeated under its key', () => {
  always(({ turns }) => {
    const keys = turns
      .filter(({ action }, index) => 'run' in action || !isRepeated(turns[index - 1], action))
      .map(({ action }) => action.key);
    expect(keys).toEqual([...new Set(keys)]);
  });
});

test('no iteration exceeds the limits that were read', () => {
  always(({ turns }) => {
    const limits = turns.map(({ record }) => limitOf(record.result));
    const iterations = turns.map(({ action }) => ('run' in action ? action.run.iteration : 0));
    expect(Math.max(...iterations)).toBeLessThanOrEqual(Math.max(...limits));
  });
});

test('"done" means that the last run worked and claimed it, and that every guardrail passed', () => {
  always(({ turns }) => {
    if (!turns.some(({ record }) => record.result.kind === 'ended' && record.result.ending.kind === 'done')) return;
    const results = turns.map(({ record }) => record.result);
    const work = turns.findLastIndex(({ action }) => action.do === 'await' && action.run.purpose === 'work');
    expect(results[work]).toMatchObject({
      kind: 'ran',
      outcome: { kind: 'worked' },
      said: { tag: expect.stringMatching(/^done$/i) },
    });
    const guardrails = results.map(guardrailsOf).findLast((count) => count !== null);
    const checks = results.slice(work).filter((result) => result.kind === 'checked');
    expect(checks.map(({ outcome }) => outcome.is === 'passed')).toEqual(
      Array.from({ length: guardrails ?? 0 }, () => true),
    );
  });
});

test('the last iterations, folded record by record, are those of the whole timeline', () => {
  fc.assert(
    fc.property(paths, fc.integer({ min: 1, max: 3 }), ({ first, turns }, most) => {
      const records = [first, ...turns.map(({ record }) => record)];
      const folded = lastIterations(run, most);
      for (const record of records) folded.take(record);
      const { iterations } = timelineOf(records, run);
      const earlier = Math.max(0, iterations.length - most);
      expect(folded.last()).toEqual({ iterations: iterations.slice(earlier), earlier });
    }),
    { numRuns: 500 },
  );
});

test('there is exactly one wait between two iterations', () => {
  always(({ turns }) => {
    const waits = turns.filter(({ action, record }) => action.key.endsWith('/wait') && record.result.kind === 'waited');
    expect(waits.map(({ action }) => action.key)).toEqual(waits.map((_, index) => `${index + 1}/wait`));
  });
});

test('a journal that is read from JSON, cut anywhere and continued, folds to the same state', () => {
  fc.assert(
    fc.property(paths, fc.nat(), ({ first, turns }, at) => {
      const records = [first, ...turns.map(({ record }) => record)];
      const read = JSON.parse(JSON.stringify(records)) as Recorded[];
      expect(read).toEqual(records);
      const cut = 1 + (at % records.length);
      const continued = read.slice(cut).reduce(run.apply, fold(run, records.slice(0, cut)));
      expect(continued).toEqual(fold(run, records));
    }),
    { numRuns: 500 },
  );
});

function isRepeated(before: Turn | undefined, action: Action): boolean {
  return before?.record.result.kind === 'interrupted' && before.action.key === action.key;
}

function limitOf(result: Result): number {
  return result.kind === 'inputs'
    ? ((result.inputs as { maximumIterations?: number } | undefined)?.maximumIterations ?? 0)
    : 0;
}

function guardrailsOf(result: Result): number | null {
  if (result.kind !== 'inputs' || result.inputs === undefined) return null;
  return (result.inputs as unknown as RunInputs).guardrails.length;
}
