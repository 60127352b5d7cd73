import { describe, expect, test } from 'vitest';
import { NO_USAGE } from '../budget/usage.ts';
import { EXIT_CODES } from '../ending.ts';
import {
  type ClosingSummary,
  closingLines,
  describeLeft,
  endingDetails,
  humanDuration,
  type Left,
  workSince,
} from './closing-summary.ts';

const SUMMARY: ClosingSummary = {
  mark: 'failed',
  outcome: 'Stopped at the limit of 10 iterations',
  durationMs: 41 * 60_000,
  usage: { ...NO_USAGE, runs: 10, costUsd: 4.1 },
  red: [],
  details: [],
  work: { kind: 'uncommitted', files: 3 },
  next: [],
};

test('the first line has the outcome, the duration and the cost; then come facts and the next command', () => {
  const red = [{ command: 'npm test', exit: 'exit 1', log: '.ralph/g.log' }];
  const next = [{ command: 'ralph resume k3x9 -m 20', why: 'continue with more iterations' }];
  expect(closingLines({ ...SUMMARY, red, details: ['The agent said DONE 3 times.'], next })).toEqual([
    '✗ Stopped at the limit of 10 iterations · 41m · $4.10',
    '  "npm test" stayed red (exit 1, log .ralph/g.log).',
    '  The agent said DONE 3 times.',
    '  3 changed files are not committed.',
    '  ralph resume k3x9 -m 20   continue with more iterations',
  ]);
});

test.each([
  [{ runs: 0 }, 'no agent was run'],
  [{ runs: 2, runsWithoutCost: 2 }, 'cost unknown'],
  [{ runs: 3, runsWithoutCost: 2, costUsd: 0.5 }, '$0.50 and 2 runs of unknown cost'],
])('an unknown cost is never shown as a sum: %j', (usage, words) => {
  expect(closingLines({ ...SUMMARY, usage: { ...NO_USAGE, ...usage } })[0]).toMatch(
    new RegExp(`· ${words.replace('$', '\\$')}$`),
  );
});

test.each([
  [{ kind: 'committed', commit: '51affc0123' }, '  Everything is committed (HEAD is 51affc0).'],
  [{ kind: 'committed', commit: '51affc0123', isBase: true }, '  There is nothing to commit (HEAD is still 51affc0).'],
  [{ kind: 'uncommitted', files: 1 }, '  1 changed file is not committed.'],
  [
    { kind: 'committed', commit: '0123456789', except: '.ralph/' },
    '  Everything is committed except .ralph/ (HEAD is 0123456).',
  ],
  [{ kind: 'no-repository' }, '  Nothing is committed: there is no git repository.'],
  [{ kind: 'unknown', reason: 'fatal: no' }, '  Whether the work is committed is unknown: fatal: no'],
] as const)('whether the work is committed: %j', (work, line) => {
  expect(closingLines({ ...SUMMARY, work })).toContain(line);
});

test('a loop that ends at the commit it began with has added nothing', () => {
  const work = { kind: 'committed', commit: 'a1' } as const;
  expect(workSince('a1', work)).toEqual({ ...work, isBase: true });
  expect([workSince('b2', work), workSince(null, work)]).toEqual([work, work]);
});

test('an interrupted loop says that nothing is lost', () => {
  expect(endingDetails({ kind: 'interrupted' }, String)).toEqual([expect.stringMatching(/^Nothing is lost: /)]);
});

test('nothing is wider than 80 columns except a word or a command that is', () => {
  const details = [`${'word '.repeat(60)}end.`, `see /${'x'.repeat(100)}`];
  const next = [{ command: `ralph task resume --project ${'p'.repeat(60)}`, why: 'continue' }];
  const wide = closingLines({ ...SUMMARY, details, next }).filter((line) => line.length > 80);
  expect(wide).toEqual([`  /${'x'.repeat(100)}`, `  ralph task resume --project ${'p'.repeat(60)}`]);
});

test('commands that fit beside what they are for form one column', () => {
  const next = [
    { command: `ralph resume ${'i'.repeat(24)} -m 20`, why: 'continue with more iterations' },
    { command: `ralph show ${'i'.repeat(24)}`, why: 'the whole story' },
  ];
  expect(closingLines({ ...SUMMARY, next }).slice(-2)).toEqual([
    `  ralph resume ${'i'.repeat(24)} -m 20   continue with more iterations`,
    `  ralph show ${'i'.repeat(24)}           the whole story`,
  ]);
});

describe('every ending', () => {
  const LEFT: Readonly<Record<Left['kind'], Left>> = {
    done: { kind: 'done' },
    unpublished: { kind: 'unpublished', reason: 'the reason' },
    'iteration-limit': { kind: 'iteration-limit', limit: 10 },
    'kept-failing': { kind: 'kept-failing', failures: 5 },
    configuration: { kind: 'configuration', reason: 'the reason', hint: 'the hint' },
    infrastructure: { kind: 'infrastructure', reason: 'the reason' },
    auth: { kind: 'auth', reason: 'the reason' },
    blocked: { kind: 'blocked', reason: 'the reason' },
    decision: { kind: 'decision', reason: 'the reason' },
    stuck: { kind: 'stuck', reason: 'the reason' },
    tampered: { kind: 'tampered', reason: 'the reason' },
    'usage-limit': { kind: 'usage-limit', reason: 'the reason', resetAt: 7 },
    budget: { kind: 'budget', of: 'until', until: 7 },
    stopped: { kind: 'stopped', reason: 'the reason' },
    waiting: { kind: 'waiting', reason: 'the reason' },
    interrupted: { kind: 'interrupted' },
  };

  test.each(Object.values(LEFT))('has its own words and keeps its reason: $kind', (left) => {
    const { mark, outcome } = describeLeft(left, 2);
    expect(mark === 'done').toBe(left.kind === 'done');
    expect(outcome).not.toMatch(/undefined|\.$/);
    expect(endingDetails(left, String).includes('the reason')).toBe('reason' in left);
  });

  test('has words that no other one has', () => {
    const outcomes = Object.values(LEFT).map((left) => describeLeft(left, 2).outcome);
    expect(new Set(outcomes).size).toBe(outcomes.length);
  });

  test('a loop that was told to stop is not done: it has the exit code of an interrupted one', () => {
    expect(EXIT_CODES.stopped).toBe(130);
  });
});

test('the hint and the reset of a limit are reported', () => {
  expect(endingDetails({ kind: 'usage-limit', reason: 'No more.', resetAt: 7 }, (at) => `at ${at}`)).toEqual([
    'No more.',
    'It resets at at 7.',
  ]);
  expect(endingDetails({ kind: 'configuration', reason: 'No.', hint: 'Do.' }, String)).toEqual(['No.', 'Do.']);
});

test.each([
  [400, '0s'],
  [45_000, '45s'],
  [192_000, '3m 12s'],
  [8_040_000, '2h 14m'],
  [90_000_000, '1d 1h'],
])('%d ms are %s', (ms, words) => {
  expect(humanDuration(ms)).toBe(words);
});
