import { describe, expect, test } from 'vitest';
import { NO_USAGE } from '../core/budget/usage.ts';
import { type Ending, EXIT_CODES } from '../core/ending.ts';
import type { NoticeEvent } from '../core/notice.ts';
import type { Result } from '../core/record.ts';
import type { LoopState, Phase } from '../core/state.ts';
import { maskFor } from '../core/text/mask.ts';
import { noticeOf, noticeOfBudget, noticeOfError, type Told, toldBefore } from './notice-of-loop.ts';

type State = Parameters<typeof toldBefore>[0];

const WORDS = {
  name: 'k3x9',
  clock: (at: number) => new Date(at).toISOString().slice(11, 16),
  mask: maskFor({}),
  isResumed: true,
};
const UNTIL = Date.UTC(2026, 0, 1, 3, 10);

const stateAt = (phase: Phase, more: Partial<State> = {}): State => ({
  id: '20260101-000000-k3x90000',
  loopKind: 'run',
  cwd: '/home/me/shop',
  phase,
  startedIn: 2,
  workedMs: 192_000,
  waitedMs: 0,
  usage: { ...NO_USAGE, runs: 2, costUsd: 0.42 },
  unavailable: {},
  faultsInARow: 0,
  ...more,
});

const WORKING = stateAt({ at: 'inputs' });
const NOTHING: Told = toldBefore(WORKING);
const WAITED: Result = { kind: 'waited' };

const limitedTill = (resetAt: number | null): Partial<LoopState<unknown>> => ({
  unavailable: { claude: { is: 'limited', by: 'limit', until: UNTIL, resetAt, reason: 'no more', inARow: 1 } },
  faultsInARow: 1,
});
const waitFor = (kind: 'limit' | 'reserve' | 'infrastructure'): Phase => ({
  at: 'wait',
  until: UNTIL,
  then: 'same-iteration',
  for: { kind, reason: 'no more' },
});

const ENDINGS: readonly (readonly [Ending, NoticeEvent | null, string])[] = [
  [{ kind: 'done' }, 'done', '✓ shop: done'],
  [{ kind: 'unpublished', reason: 'rejected' }, 'failed', '✗ shop: done, but not published'],
  [{ kind: 'iteration-limit', limit: 10 }, 'failed', '✗ shop: stopped at its limit of iterations'],
  [{ kind: 'kept-failing', failures: 5 }, 'failed', '✗ shop: the agent kept failing'],
  [{ kind: 'infrastructure', reason: 'down' }, 'failed', '✗ shop: stopped by a service fault'],
  [{ kind: 'configuration', reason: 'no agent' }, 'failed', '✗ shop: stopped by a configuration error'],
  [{ kind: 'stuck', reason: 'same again' }, 'failed', '✗ shop: stuck'],
  [{ kind: 'auth', reason: 'no login' }, 'failed', '✗ shop: the agent is not logged in'],
  [{ kind: 'blocked', reason: 'Which one?' }, 'blocked', '! shop: needs you'],
  [{ kind: 'decision', reason: 'Which one?' }, 'blocked', '! shop: needs your decision'],
  [{ kind: 'waiting', reason: 'For a review.' }, 'blocked', '! shop: the agent waits for you'],
  [{ kind: 'budget', of: 'cost', used: 5, limit: 5 }, 'budget', '! shop: budget used up'],
  [{ kind: 'usage-limit', reason: 'no more', resetAt: UNTIL }, 'limited', '◐ shop: stopped by a usage limit'],
  [{ kind: 'tampered', reason: 'journal' }, 'tampered', '✗ shop: tampered with'],
  [{ kind: 'stopped' }, null, ''],
];

describe('an ending', () => {
  test.each(ENDINGS)('%j is the event %s', (ending, event, title) => {
    const { notice, told } = noticeOf(
      NOTHING,
      { result: { kind: 'ended', ending } },
      stateAt({ at: 'over', ending }),
      WORDS,
    );
    expect(notice?.event ?? null).toBe(event);
    expect(notice?.title ?? '').toBe(title);
    expect(told.isOver).toBe(true);
  });

  test('of every kind is among these', () => {
    expect(new Set(ENDINGS.map(([{ kind }]) => kind))).toEqual(new Set(Object.keys(EXIT_CODES)));
  });

  test('is told with its figures, the loop and the next command', () => {
    const { notice } = ended({ kind: 'done' });
    expect(notice?.text).toBe('Done in 2 iterations · 3m 12s · $0.42\nLoop k3x9');
    expect(notice?.next).toBe('ralph show k3x9');
  });

  test('with a question begins with it, and can be answered', () => {
    const { notice } = ended({ kind: 'blocked', reason: 'Which one?' });
    expect(notice?.text).toMatch(/^Which one\?\nBlocked after 2 iterations/);
    expect(notice).toMatchObject({ question: 'Which one?', can: ['answer'] });
  });

  test('with a question takes no answer where ralph does not continue the loop', () => {
    const ending: Ending = { kind: 'blocked', reason: 'Which one?' };
    const words = { ...WORDS, isResumed: false };
    const { notice } = noticeOf(NOTHING, { result: { kind: 'ended', ending } }, stateAt({ at: 'over', ending }), words);
    expect(notice).toMatchObject({ question: 'Which one?', next: 'ralph status k3x9', can: [] });
  });

  test('that a supervisor finds is not told again', () => {
    const over = stateAt({ at: 'over', ending: { kind: 'done' } });
    expect(noticeOf(toldBefore(over), { result: { kind: 'left' } }, over, WORDS).notice).toBeNull();
  });

  const ended = (ending: Ending) =>
    noticeOf(NOTHING, { result: { kind: 'ended', ending } }, stateAt({ at: 'over', ending }), WORDS);
});

describe('a question', () => {
  const asks = (question: string) => stateAt({ at: 'wait', until: 'command', then: 'same-iteration', asks: question });

  test('is told once, and again when another one comes', () => {
    const first = noticeOf(NOTHING, { result: WAITED }, asks('Which one?'), WORDS);
    expect(first.notice).toMatchObject({
      event: 'blocked',
      question: 'Which one?',
      next: 'ralph answer k3x9 "…"',
      can: ['answer', 'stop'],
    });
    expect(noticeOf(first.told, { result: WAITED }, asks('Which one?'), WORDS).notice).toBeNull();
    expect(noticeOf(first.told, { result: WAITED }, asks('And now?'), WORDS).notice?.question).toBe('And now?');
  });

  test('of an agent is stripped of what is no text', () => {
    const { notice } = noticeOf(NOTHING, { result: WAITED }, asks('\u001b[31mWhich\u0007 one?\u202e\r\nX: y'), WORDS);
    expect(notice?.question).toBe('Which one?\nX: y');
    expect(notice?.title).toBe('! shop: needs you');
  });

  test('holds no part of a key that the cut goes through, and no half of a character', () => {
    const key = `sk-${'a1'.repeat(200)}`;
    const { notice } = noticeOf(NOTHING, { result: WAITED }, asks(`${'x '.repeat(450)}\u001b[31m${key}`), WORDS);
    expect(notice?.question).toMatch(/x \*\*\*$/);
    expect(notice?.text).not.toContain('a1a1');
    expect(noticeOf(NOTHING, { result: WAITED }, asks('Which \ud83d db?'), WORDS).notice?.question).toBe(
      'Which \ufffd db?',
    );
  });

  test('is cut to a length', () => {
    const { notice } = noticeOf(NOTHING, { result: WAITED }, asks('🙂'.repeat(5000)), WORDS);
    expect(Array.from(notice?.question ?? '')).toHaveLength(1000);
    expect(notice?.text.length).toBeLessThan(3000);
  });
});

describe('a usage limit', () => {
  test('is told when the wait begins, and when it ends by itself', () => {
    const waiting = stateAt(waitFor('limit'), limitedTill(UNTIL - 1));
    const first = noticeOf(NOTHING, { result: WAITED }, waiting, WORDS);
    expect(first.notice).toMatchObject({
      event: 'limited',
      title: '◐ shop: waits for a usage limit',
      can: ['pause', 'stop'],
    });
    expect(first.notice?.text).toContain('no more\nThe loop waits until 03:10.');
    const lifted = noticeOf(first.told, { result: WAITED }, stateAt({ at: 'inputs' }, limitedTill(UNTIL - 1)), WORDS);
    expect(lifted.notice?.event).toBe('lifted');
  });

  test('without a reset that was named is lifted when the agent has worked, not at every try', () => {
    const waiting = stateAt(waitFor('limit'), limitedTill(null));
    let { told } = noticeOf(NOTHING, { result: WAITED }, waiting, WORDS);
    for (const state of [stateAt({ at: 'inputs' }, limitedTill(null)), waiting]) {
      const next = noticeOf(told, { result: WAITED }, state, WORDS);
      expect(next.notice).toBeNull();
      ({ told } = next);
    }
    const worked = stateAt({ at: 'check', index: 0 });
    expect(noticeOf(told, { result: WAITED }, worked, WORDS).notice?.event).toBe('lifted');
  });

  test.each<[string, Result, Phase]>([
    ['continues', { kind: 'waited', command: 'resume' }, { at: 'inputs' }],
    ['stops', { kind: 'waited', command: 'stop' }, { at: 'end', ending: { kind: 'stopped' } }],
  ])('is not called lifted where a person %s the loop', (_what, result, phase) => {
    const { told } = noticeOf(NOTHING, { result: WAITED }, stateAt(waitFor('limit'), limitedTill(UNTIL)), WORDS);
    expect(noticeOf(told, { result }, stateAt(phase), WORDS).notice).toBeNull();
  });

  test('of a reserve is told, too; an outage is not', () => {
    const eventOf = (kind: 'reserve' | 'infrastructure') =>
      noticeOf(NOTHING, { result: WAITED }, stateAt(waitFor(kind)), WORDS).notice?.event;
    expect(eventOf('reserve')).toBe('limited');
    expect(eventOf('infrastructure')).toBeUndefined();
  });

  test('that a new supervisor finds is not told again', () => {
    const waiting = stateAt(waitFor('limit'), limitedTill(UNTIL));
    expect(noticeOf(toldBefore(waiting), { result: WAITED }, waiting, WORDS).notice).toBeNull();
  });
});

test('a budget that is nearly used up, and an error', () => {
  const budget = noticeOfBudget(WORKING, { of: 'cost', used: 4.1, limit: 5 }, WORDS);
  expect(budget).toMatchObject({ event: 'budget', can: ['pause', 'stop'] });
  expect(budget.text).toContain('82 % of a budget is used. It has cost $4.10 of $5.00');
  expect(noticeOfError(WORKING, 'no space left', WORDS)).toMatchObject({ event: 'failed', next: 'ralph resume k3x9' });
});
