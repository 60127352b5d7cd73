import { describe, expect, test } from 'vitest';
import { EPOCH, firstRecord, play, record } from '../../../test/support/loops/play.ts';
import { checked, ran, STARTED, WAITED, worked } from '../../../test/support/loops/results.ts';
import { INPUTS, rules, type State } from '../../../test/support/loops/tiny-machine.ts';
import type { Action } from '../action.ts';
import type { LoopTerms } from '../budget/terms.ts';
import { loopMachine } from '../machine/machine.ts';
import type { Outcome } from '../outcome.ts';
import { LIMITS_AGENTS, type Recorded, type Result, SPARES_FALLBACKS } from '../record.ts';
import type { Fallback } from './agent-choice.ts';
import { jitterOf } from './outage.ts';

const HOUR = 3_600_000;
const CODEX: Fallback = { name: 'codex', command: 'codex', flags: ['--yolo'] };
const SONNET: Fallback = { name: 'claude:sonnet', command: 'claude', flags: ['--model', 'sonnet'] };
const policy = { waits: true, budgetMs: 6 * HOUR, unitMs: 1000 };
const tiny = loopMachine({ ...rules, limit: () => 100, outages: () => policy });
const JITTER = jitterOf('loop-1');

const limit = (resetAt: number | null): Result => ran({ kind: 'limit', reason: 'no more', resetAt });
const by = ({ name }: Fallback): Result => ({ ...(STARTED as Result & { kind: 'started' }), fallback: name });
const BEGUN = firstRecord('tiny');
const begin = (terms: LoopTerms): State =>
  tiny.begin({ ...BEGUN, result: { ...(BEGUN.result as Recorded['result'] & { kind: 'created' }), terms } });
const starts = (state: State): string | null => {
  const action: Action = tiny.next(state);
  return action.do === 'start' ? [action.agent.command, ...action.agent.flags].join(' ') : null;
};
/** Applies the next record at this time. */
const at = (state: State, time: number, result: Result): State =>
  tiny.apply(state, { ...record(state.seq + 1, tiny.next(state).key, result), at: time });

const CHECKED = checked(0, false);
const RESET = EPOCH + HOUR;
const two = begin({ fallbacks: [CODEX, SONNET] });
const limited = play(tiny, two, INPUTS, STARTED, limit(RESET));
const onCodex = play(tiny, limited, WAITED, INPUTS);

describe('while an agent is limited', () => {
  test('the next one continues the same iteration at once, and no outage is charged', () => {
    expect(limited).toMatchObject({ iteration: 1, outageMs: 0, faultsInARow: 0, phase: { at: 'wait', until: 'now' } });
    expect(tiny.next(onCodex)).toMatchObject({
      do: 'start',
      run: { iteration: 1, try: 2 },
      agent: { command: 'codex', flags: ['--yolo'], mode: 'stream' },
      fallback: 'codex',
      prompt: 'work of iteration 1',
    });
  });

  test('a run is awaited with the adapter of the agent that was started', () => {
    const awaiting = play(tiny, onCodex, by(CODEX));
    expect(tiny.next(awaiting)).toMatchObject({ do: 'await', agent: { command: 'codex', flags: ['--yolo'] } });
    expect(tiny.next(play(tiny, two, INPUTS, STARTED))).toMatchObject({ agent: { command: 'work-agent' } });
  });

  test('the loop returns to the first one after its reset, and not before', () => {
    const next = play(tiny, onCodex, by(CODEX), worked(), CHECKED, WAITED);
    expect(starts(at(next, RESET, INPUTS))).toBe('codex --yolo');
    expect(starts(at(next, RESET + JITTER, INPUTS))).toBe('work-agent');
  });

  test('each one that is limited, too, hands over; when none is left, the loop waits for the earliest reset', () => {
    const second = play(tiny, onCodex, by(CODEX), limit(RESET - HOUR / 2), WAITED, INPUTS);
    expect(starts(second)).toBe('claude --model sonnet');
    const none = play(tiny, second, by(SONNET), limit(RESET + HOUR));
    expect(none.phase).toMatchObject({ at: 'wait', until: RESET - HOUR / 2 + JITTER, for: { kind: 'limit' } });
    expect(none.outageMs).toBe(JITTER);
    expect(starts(at(at(none, RESET - HOUR / 2 + JITTER, WAITED), RESET - HOUR / 2 + JITTER, INPUTS))).toBe(
      'codex --yolo',
    );
  });

  test('without a named reset, the agent is tried again after a minute, two, four …', () => {
    const pauses: number[] = [];
    let state = play(tiny, two, INPUTS, STARTED);
    for (let round = 0; round < 3; round++) {
      state = play(tiny, state, limit(null));
      const [mark] = Object.values(state.unavailable);
      const until = mark?.is === 'limited' ? mark.until : 0;
      pauses.push((until - state.at) / 60_000);
      // Codex works in the meantime.
      state = play(tiny, state, WAITED, INPUTS, by(CODEX), worked(), CHECKED, WAITED);
      state = play(tiny, at(state, until, INPUTS), STARTED);
    }
    expect(pauses).toEqual([1, 2, 4]);
  });

  test('waiting for a reset does not count as time worked, which a budget of time counts', () => {
    const waiting = play(tiny, begin({ budget: { timeMs: HOUR } }), INPUTS, STARTED, limit(RESET));
    const after = at(waiting, RESET + JITTER, WAITED);
    expect(after.workedMs).toBe(waiting.workedMs);
    expect(after.waitedMs).toBe(RESET + JITTER - waiting.at);
    expect(starts(at(after, RESET + JITTER, INPUTS))).toBe('work-agent');
  });

  test('--no-wait ends the loop only when none is free', () => {
    const hasty = loopMachine({ ...rules, outages: () => ({ ...policy, waits: false }) });
    const one = begin({ fallbacks: [CODEX] });
    const handed = play(hasty, one, INPUTS, STARTED, limit(RESET), WAITED, INPUTS);
    expect(handed.phase).toEqual({ at: 'start', purpose: 'work' });
    expect(play(hasty, handed, by(CODEX), limit(RESET)).phase).toMatchObject({ ending: { kind: 'usage-limit' } });
  });
});

describe('a fallback that cannot work', () => {
  const one = play(tiny, begin({ fallbacks: [CODEX] }), INPUTS, STARTED, limit(RESET), WAITED, INPUTS);
  const ways: readonly (readonly [string, readonly Result[]])[] = [
    ['is not logged in', [by(CODEX), ran({ kind: 'auth', reason: 'no key' } satisfies Outcome)]],
    ['cannot be started', [{ kind: 'unstartable', reason: 'no key' }]],
  ];

  test.each(ways)('because it %s is dropped, and the loop waits for the first one', (_how, results) => {
    const dropped = play(tiny, one, ...results);
    expect(dropped.phase).toMatchObject({ at: 'wait', until: 'now', dropped: { agent: 'codex', reason: 'no key' } });
    const waiting = play(tiny, dropped, WAITED, INPUTS);
    expect(waiting.phase).toMatchObject({ at: 'wait', until: RESET + JITTER, for: { kind: 'limit' } });
    expect(starts(at(at(waiting, RESET + JITTER, WAITED), RESET + JITTER, INPUTS))).toBe('work-agent');
  });

  test('ends the loop if it is the first one', () => {
    const own = play(tiny, two, INPUTS, STARTED, ran({ kind: 'auth', reason: 'no key' }));
    expect(own.phase).toMatchObject({ at: 'end', ending: { kind: 'auth' } });
    expect(play(tiny, two, INPUTS, { kind: 'unstartable', reason: 'gone' }).phase).toMatchObject({
      ending: { kind: 'configuration' },
    });
  });
});

describe('a fallback that fails', () => {
  const FAILED = ran({ kind: 'failed', exit: { by: 'code', code: 1 } });
  const failing = (state: State, times: number): State => {
    let now = state;
    for (let round = 0; round < times; round++) now = play(tiny, now, by(CODEX), FAILED, WAITED, INPUTS);
    return now;
  };

  test('is tried again in the same iteration, after a pause', () => {
    const failed = play(tiny, onCodex, by(CODEX), FAILED);
    expect(failed).toMatchObject({ iteration: 1, failures: 1, failuresInARow: 0, lastFailure: 'exit 1' });
    expect(failed.phase).toEqual({ at: 'wait', until: failed.at + 10, then: 'same-iteration' });
    expect(starts(play(tiny, failed, WAITED, INPUTS))).toBe('codex --yolo');
  });

  test('three times in a row is left out: the next one works, or the loop waits for the first one', () => {
    expect(starts(failing(onCodex, 2))).toBe('codex --yolo');
    expect(starts(failing(onCodex, 3))).toBe('claude --model sonnet');
    const one = play(tiny, begin({ fallbacks: [CODEX] }), INPUTS, STARTED, limit(RESET), WAITED, INPUTS);
    const waiting = failing(one, 3);
    expect(waiting).toMatchObject({ iteration: 1, failures: 3, failuresInARow: 0 });
    expect(waiting.phase).toMatchObject({ at: 'wait', until: RESET + JITTER, for: { kind: 'limit' } });
  });

  test('and works in between is not left out', () => {
    const worked2 = play(tiny, failing(onCodex, 2), by(CODEX), worked(), CHECKED, WAITED, INPUTS);
    expect(starts(failing(worked2, 2))).toBe('codex --yolo');
  });

  test('has another chance once the first one has worked', () => {
    const later = (state: State, ...results: Result[]): State =>
      results.reduce((now, result) => at(now, RESET + JITTER, result), state);
    const OVER = [worked(), CHECKED, WAITED, INPUTS];
    const returned = later(failing(onCodex, 3), by(SONNET), ...OVER);
    expect(starts(returned)).toBe('work-agent');
    const again = later(returned, STARTED, ...OVER, STARTED, limit(RESET + 2 * HOUR), WAITED, INPUTS);
    expect(starts(again)).toBe('codex --yolo');
  });

  test('in a journal of an earlier release counts like any agent', () => {
    const older = (state: State, result: Result): State =>
      tiny.apply(state, { ...record(state.seq + 1, tiny.next(state).key, result), v: SPARES_FALLBACKS - 1 });
    const failed = older(play(tiny, onCodex, by(CODEX)), FAILED);
    expect(failed).toMatchObject({ failuresInARow: 1, phase: { then: 'next-iteration' } });
  });
});

test('after a person continues the loop, or ends a pause, every agent is tried again', () => {
  const stopped = play(
    tiny,
    limited,
    { kind: 'waited', command: 'stop' },
    {
      kind: 'ended',
      ending: { kind: 'stopped' },
    },
  );
  const again = tiny.apply(stopped, record(stopped.seq + 1, 'continued/9', { kind: 'continued' }));
  expect(starts(play(tiny, again, INPUTS))).toBe('work-agent');
  const paused = play(tiny, limited, { kind: 'waited', command: 'pause' }, { kind: 'waited', command: 'resume' });
  expect(starts(play(tiny, paused, INPUTS))).toBe('work-agent');
});

test('a loop that waits for a reset continues at once with a fallback given when it is continued', () => {
  const waiting = play(tiny, begin({}), INPUTS, STARTED, limit(RESET));
  expect(waiting.phase).toMatchObject({ until: RESET + JITTER });
  const terms = { fallbacks: [CODEX] };
  const again = tiny.apply(waiting, record(waiting.seq + 1, 'continued/9', { kind: 'continued', terms }));
  expect(starts(play(tiny, again, WAITED, INPUTS))).toBe('codex --yolo');
});

test('a journal in which an agent was started while it was limited can still be folded', () => {
  const counting = loopMachine({
    ...rules,
    limit: () => 100,
    afterEveryRun: ({ data }) => ({ data, go: { to: 'next-iteration' } }),
  });
  const older = (result: Result, state: State): State =>
    counting.apply(state, { ...record(state.seq + 1, counting.next(state).key, result), v: LIMITS_AGENTS - 1 });
  const results = [INPUTS, STARTED, limit(RESET), WAITED, INPUTS, STARTED];
  expect(results.reduce((state, result) => older(result, state), begin({})).iteration).toBe(2);
});

describe('a loop kind that counts every run', () => {
  const counting = loopMachine({
    ...rules,
    limit: () => 100,
    afterEveryRun: ({ data }) => ({ data, go: { to: 'next-iteration' } }),
  });
  const next = (resetAt: number | null): State =>
    play(counting, begin({}), INPUTS, STARTED, limit(resetAt), WAITED, INPUTS);

  test('counts the attempt, and starts the next one after the named reset', () => {
    expect(next(RESET)).toMatchObject({
      iteration: 2,
      phase: { at: 'wait', until: RESET + JITTER, then: 'same-iteration' },
    });
  });

  test('continues as usual if no reset is named', () => {
    expect(next(null)).toMatchObject({ iteration: 2, phase: { at: 'start' } });
  });

  test('ends if the reset comes after --until', () => {
    const late = play(counting, begin({ notAfter: RESET }), INPUTS, STARTED, limit(RESET), WAITED, INPUTS);
    expect(late.phase).toMatchObject({ at: 'end', ending: { kind: 'usage-limit' } });
  });
});

test('a reset in the far future counts as none', () => {
  const far = play(tiny, begin({}), INPUTS, STARTED, limit(EPOCH + 1000 * 24 * HOUR));
  expect(far.phase).toMatchObject({ at: 'wait', until: far.at + 60_000 });
});
