import { describe, expect, test } from 'vitest';
import {
  begun,
  checked,
  effects,
  loopAfter,
  on,
  type Ran,
  said,
  TELLING,
  withCap,
} from '../../../test/support/session/turns.ts';
import { turnAtOnce } from '../../core/machine/turn.ts';
import type { Recorded } from '../../core/record.ts';
import type { LoopState } from '../../core/state.ts';
import { continuationFor } from './messages.ts';
import { iterationOf, LOOK_AT_TREE, RESUME, type SessionData, sessionMachine, statusOfSession } from './rules.ts';
import { endNotice, logLine, statusReport } from './wording.ts';

const typing = { slash: '/', needsEsc: false } as const;

describe('the hook algorithm', () => {
  test('a promise with work behind it ends the loop: PROMISE_ACCEPTED', () => {
    const state = loopAfter({}, said('DONE', { toolCalls: 1 }));
    expect([statusOfSession(state), iterationOf(state)]).toEqual(['PROMISE_ACCEPTED', 0]);
  });

  test('a stop without the promise sends the agent back, and iterations count from 0', () => {
    const state = loopAfter({}, said(null));
    expect([statusOfSession(state), iterationOf(state), state.data.verdict]).toEqual(['ACTIVE', 1, 'no-promise']);
  });

  test('the agent is sent back N times; the next stop is MAX_ITERATIONS_REACHED', () => {
    const three = loopAfter({ maximumIterations: 3 }, said(null), said(null), said(null));
    expect([statusOfSession(three), iterationOf(three)]).toEqual(['ACTIVE', 3]);
    const over = loopAfter({ maximumIterations: 3 }, said(null), said(null), said(null), said(null));
    expect([statusOfSession(over), iterationOf(over)]).toEqual(['MAX_ITERATIONS_REACHED', 3]);
  });

  test.each([0, 2])(
    'a promise after the last continuation is not judged, and the messages say so: %i tool calls',
    (toolCalls) => {
      const state = loopAfter({ maximumIterations: 1, checks: ['x'] }, said(null), said('DONE', { toolCalls }));
      expect(statusOfSession(state)).toBe('MAX_ITERATIONS_REACHED');
      const files = { log: 'l', lastLines: [], closing: null, now: 0 };
      const told = [endNotice(state, typing, null), logLine(state), statusReport(state, typing, files)];
      for (const text of told) expect(text).toContain('the promise was given in the last turn and was not judged');
    },
  );

  test('a promise before the last continuation is judged', () => {
    const state = loopAfter({ maximumIterations: 1 }, said('DONE', { toolCalls: 2 }));
    expect(statusOfSession(state)).toBe('PROMISE_ACCEPTED');
  });
});

describe('a promise without work', () => {
  test('is rejected, and must be given again: work that comes later does not redeem it', () => {
    const rejected = loopAfter({}, said('DONE'));
    expect([statusOfSession(rejected), rejected.data.verdict]).toEqual(['ACTIVE', 'no-work']);
    const worked = loopAfter({}, said('DONE'), said(null, { toolCalls: 5 }));
    expect([statusOfSession(worked), worked.data.verdict]).toEqual(['ACTIVE', 'no-promise']);
    expect(statusOfSession(loopAfter({}, said('DONE'), said(null, { toolCalls: 5 }), said('DONE')))).toBe(
      'PROMISE_ACCEPTED',
    );
  });

  test.each([
    ['reject', 'ACTIVE', 'no-work'],
    ['warn', 'PROMISE_ACCEPTED', 'accepted-without-work'],
    ['accept', 'PROMISE_ACCEPTED', 'accepted'],
  ] as const)('%s', (onPromiseNoWork, status, verdict) => {
    const state = loopAfter({ onPromiseNoWork }, said('DONE'));
    expect([statusOfSession(state), state.data.verdict]).toEqual([status, verdict]);
  });

  test('that is accepted with a warning warns', () => {
    expect(endNotice(loopAfter({ onPromiseNoWork: 'warn' }, said('DONE')), typing, null)).toContain(
      'accepted with a warning: no tool calls/work were performed',
    );
  });

  test('is measured by --min-tool-calls, over all turns', () => {
    expect(statusOfSession(loopAfter({ minToolCalls: 3 }, said('DONE', { toolCalls: 2 })))).toBe('ACTIVE');
    const spread = loopAfter({ minToolCalls: 3 }, said(null, { toolCalls: 2 }), said('DONE', { toolCalls: 1 }));
    expect(statusOfSession(spread)).toBe('PROMISE_ACCEPTED');
    expect(statusOfSession(loopAfter({ minToolCalls: 0 }, said('DONE')))).toBe('PROMISE_ACCEPTED');
  });

  describe('if the host cannot count tool calls', () => {
    const unknown = { toolCalls: null };
    test('the output of a command is enough', () => {
      expect(statusOfSession(loopAfter({}, said('DONE', { ...unknown, hasOutput: true })))).toBe('PROMISE_ACCEPTED');
    });

    test.each([
      ['another tree is', 'another', 'PROMISE_ACCEPTED'],
      ['the same tree is not', 'tree', 'ACTIVE'],
      ['a tree that cannot be told is not', null, 'ACTIVE'],
    ])('%s', (_what, tree, status) => {
      const looking = loopAfter({}, said('DONE', unknown));
      expect(looking.phase).toEqual({ at: 'step', what: LOOK_AT_TREE });
      expect(statusOfSession(on(looking, { kind: 'stepped', what: LOOK_AT_TREE, gave: tree }))).toBe(status);
    });

    const mark = { transcript: null, offset: 0 };

    test('because its transcript is not there yet, they are counted as soon as it is', () => {
      const before = loopAfter({}, said(null, { toolCalls: null, mark }));
      expect(before.data.countsTools).toBe(false);
      expect(on(before, said('DONE', { toolCalls: 0 })).data).toMatchObject({ countsTools: true, verdict: 'no-work' });
      expect(statusOfSession(on(before, said('DONE', { toolCalls: 1 })))).toBe('PROMISE_ACCEPTED');
    });

    test('for a turn that is already over, a small number is no proof that nothing was done', () => {
      const after = loopAfter({}, said(null, { toolCalls: null, mark: { ...mark, offset: 5 } }), said('DONE'));
      expect(after.data.countsTools).toBe(false);
      expect(after.phase).toEqual({ at: 'step', what: LOOK_AT_TREE });
    });
  });
});

describe('checks', () => {
  const checks = ['npm test', 'npm run lint'];

  test('run only when the promise was given, and then all of them', () => {
    expect(loopAfter({ checks }, said(null)).phase.at).toBe('await');
    expect(loopAfter({ checks }, said('DONE')).phase.at).toBe('await');
    const first = loopAfter({ checks }, said('DONE', { toolCalls: 1 }));
    expect(first.phase).toEqual({ at: 'check', index: 0 });
    const second = on(first, checked(0, false));
    expect(second.phase).toEqual({ at: 'check', index: 1 });
    const back = on(second, checked(1, true));
    expect([statusOfSession(back), back.data.verdict, back.data.failedChecks.length]).toEqual([
      'ACTIVE',
      'checks-failed',
      1,
    ]);
  });

  test('that all pass let the promise count', () => {
    const first = loopAfter({ checks }, said('DONE', { toolCalls: 1 }));
    expect(statusOfSession(on(on(first, checked(0, true)), checked(1, true)))).toBe('PROMISE_ACCEPTED');
  });

  test('that failed once do not fail forever: the promise can be given again', () => {
    const failed = on(loopAfter({ checks: ['x'] }, said('DONE', { toolCalls: 1 })), checked(0, false));
    const again = on(failed, said('DONE'));
    expect(again.phase).toEqual({ at: 'check', index: 0 });
    expect(statusOfSession(on(again, checked(0, true)))).toBe('PROMISE_ACCEPTED');
  });
});

describe('a loop that gets nowhere', () => {
  const idle = [
    said(null, { reply: 'a' }),
    said(null, { reply: 'b' }),
    said(null, { reply: 'c' }),
    said(null, { reply: 'd' }),
  ];

  test('continues for its N iterations, and says so after three continuations', () => {
    const state = loopAfter({}, ...idle);
    expect([statusOfSession(state), state.data.idleInARow]).toEqual(['ACTIVE', 3]);
    expect(continuationFor(state, TELLING)).toContain('this loop is stuck');
    expect(continuationFor(loopAfter({}, ...idle.slice(1)), TELLING)).not.toContain('stuck');
  });

  test('ends in Gemini CLI after two silent turns in a row, because its model is not asked any more', () => {
    const silent = said(null, { isSilent: true });
    const inGemini = (...runs: readonly Ran[]) => runs.reduce<LoopState<SessionData>>(on, begun({}, 'gemini'));
    expect(statusOfSession(inGemini(said(null), silent, said(null), silent))).toBe('ACTIVE');
    const state = inGemini(said(null), silent, silent);
    expect(statusOfSession(state)).toBe('STUCK');
    expect(endNotice(state, typing, null)).toContain(
      'STUCK at iteration 2: 2 turns in a row without a word or a tool call:',
    );
  });

  test.each(['claude', 'codex', 'opencode'])('continues for its N iterations in %s, however silent', (host) => {
    const silent = Array.from({ length: 5 }, () => said(null, { isSilent: true }));
    expect(statusOfSession(silent.reduce<LoopState<SessionData>>(on, begun({}, host)))).toBe('ACTIVE');
  });

  test('ends with --stuck-after', () => {
    expect(statusOfSession(loopAfter({ stuckAfter: 3 }, ...idle))).toBe('STUCK');
    expect(statusOfSession(loopAfter({ stuckAfter: 4 }, ...idle))).toBe('ACTIVE');
  });

  test('a tool call is not enough if the reply stays the same', () => {
    const same = () => said(null, { toolCalls: 1, reply: 'same' });
    expect(statusOfSession(loopAfter({ stuckAfter: 2 }, same(), same(), same()))).toBe('STUCK');
    const other = said(null, { toolCalls: 1, reply: 'other' });
    expect(statusOfSession(loopAfter({ stuckAfter: 2 }, same(), same(), other, same()))).toBe('ACTIVE');
  });
});

describe("the host's cap of blocks", () => {
  const idle = (times: number) =>
    Array.from({ length: times }, (_, index) => said(null, { isFresh: index === 0, cap: 8 }));

  test('is reached by the ninth block in a row: the loop waits as CAP_REACHED, and --resume continues it', () => {
    expect(statusOfSession(loopAfter({}, ...idle(8)))).toBe('ACTIVE');
    const capped = loopAfter({}, ...idle(9));
    expect([statusOfSession(capped), iterationOf(capped)]).toEqual(['CAP_REACHED', 8]);
    const resumed = on(capped, { kind: 'stepped', what: RESUME, gave: null });
    expect([statusOfSession(resumed), iterationOf(resumed)]).toEqual(['ACTIVE', 9]);
    expect(statusOfSession(on(resumed, said('DONE', { toolCalls: 1, cap: 8 })))).toBe('PROMISE_ACCEPTED');
  });

  test('--resume resets the count of continuations without progress', () => {
    const capped = loopAfter({ stuckAfter: 9 }, ...idle(9));
    const resumed = on(capped, { kind: 'stepped', what: RESUME, gave: null });
    expect([capped.data.idleInARow, resumed.data.idleInARow]).toEqual([8, 0]);
    expect(statusOfSession(on(resumed, said(null, { cap: 8 })))).toBe('ACTIVE');
  });

  test.each([
    ['a tool call', { toolCalls: 1, cap: 8 }],
    ['a word of the user', { isFresh: true, cap: 8 }],
  ])('%s resets the count', (_what, seen) => {
    const state = loopAfter({}, ...idle(8), said(null, seen), ...idle(8).slice(1));
    expect(statusOfSession(state)).toBe('ACTIVE');
    expect(statusOfSession(on(state, said(null, { cap: 8 })))).toBe('CAP_REACHED');
  });

  test('does not matter for a host that has none, nor at the end of the loop', () => {
    expect(statusOfSession(loopAfter({}, ...idle(20).map((ran) => withCap(ran, null))))).toBe('ACTIVE');
    expect(statusOfSession(loopAfter({ maximumIterations: 8 }, ...idle(9)))).toBe('MAX_ITERATIONS_REACHED');
  });
});

test('a hook that was killed after any record of its turn loses nothing: the next stop continues from there', () => {
  const checks = ['npm test'];
  const records: Recorded[] = [];
  const recording = { ...effects, append: (record: Recorded) => records.push(record) };
  const results = [said(null), said('DONE', { toolCalls: 1 }), checked(0, false), said('DONE'), checked(0, true)];
  const whole = results.reduce<LoopState<SessionData>>(
    (state, result) => turnAtOnce(sessionMachine, state, result, recording),
    loopAfter({ checks }),
  );
  expect(statusOfSession(whole)).toBe('PROMISE_ACCEPTED');
  for (const cut of records.keys()) {
    const left = records.slice(0, cut).reduce(sessionMachine.apply, loopAfter({ checks }));
    // As the hook does: first perform what is due, then record the agent's turn, then run a check if one is due.
    let state = turnAtOnce(sessionMachine, left, null, effects);
    if (state.phase.at === 'await') state = on(state, said('DONE', { toolCalls: 1 }));
    if (state.phase.at === 'check') state = on(state, checked(0, true));
    expect(statusOfSession(state)).toBe('PROMISE_ACCEPTED');
  }
});
