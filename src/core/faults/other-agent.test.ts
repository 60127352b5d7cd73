/** A run by another agent than the loop's own, such as a review: it has limits of its own, and no fallback. */
import { expect, test } from 'vitest';
import { EPOCH, firstRecord, play, record } from '../../../test/support/loops/play.ts';
import { checked, ran, STARTED, WAITED, worked } from '../../../test/support/loops/results.ts';
import { INPUTS, rules, type State } from '../../../test/support/loops/tiny-machine.ts';
import { loopMachine } from '../machine/machine.ts';
import type { Recorded, Result } from '../record.ts';
import type { LoopRules } from '../rules.ts';

const HOUR = 3_600_000;
const RESET = EPOCH + HOUR;
const CODEX = { name: 'codex', command: 'codex', flags: [] };

/** The second run is another agent's; what keeps it from its work is waited for, and then it is tried again. */
const withOther: LoopRules<readonly string[]> = {
  ...rules,
  agent: (_state, purpose) => ({
    command: `${purpose}-agent`,
    flags: [],
    mode: 'stream',
    ...(purpose === 'second' ? { isOther: true } : {}),
  }),
  afterInputs: ({ data }) => (data.includes('owed') ? { data, go: { to: 'run', purpose: 'second' } } : null),
  afterRun: (state, purpose, outcome) => {
    if (purpose !== 'second' || outcome.outcome.kind === 'worked') {
      return rules.afterRun?.(state, purpose, outcome) ?? { data: [], go: { to: 'again' } };
    }
    const go = outcome.outcome.kind === 'limit' ? { to: 'again' as const } : { to: 'default' as const, ran: outcome };
    return { data: [...state.data, 'owed'], go };
  },
};
const machine = loopMachine({ ...withOther, outages: () => ({ waits: true, budgetMs: HOUR, unitMs: 10 }) });
const counting = loopMachine(withOther);
const LIMIT: Result = ran({ kind: 'limit', reason: 'no more', resetAt: RESET });

function begun(): State {
  const first = firstRecord('tiny');
  const created = first.result as Recorded['result'] & { kind: 'created' };
  return machine.begin({ ...first, result: { ...created, terms: { fallbacks: [CODEX] } } });
}

const reviewing = play(machine, begun(), INPUTS, STARTED, worked(), checked(0, true), STARTED);
const at = (state: State, time: number, result: Result): State =>
  machine.apply(state, { ...record(state.seq + 1, machine.next(state).key, result), at: time });

test.each([
  ['a loop kind that waits outages out', machine],
  ['one that waits for named resets alone', counting],
])('the reviewer’s limit is waited for by %s, and then the same purpose starts under a new key', (_which, one) => {
  const limited = play(one, reviewing, LIMIT);
  expect(limited.phase).toMatchObject({ at: 'wait', until: 'now', then: 'same-iteration' });
  const waiting = play(one, limited, WAITED, INPUTS);
  expect(waiting.phase).toMatchObject({ at: 'wait', for: { kind: 'limit', reason: 'no more' } });
  const later = at(at(waiting, RESET + HOUR, WAITED), RESET + HOUR, INPUTS);
  expect(one.next(later)).toMatchObject({ do: 'start', key: '1/second/2/start', agent: { command: 'second-agent' } });
  expect(one.next(later)).not.toHaveProperty('fallback');
});

test('the reviewer’s limit is not a limit of the agent that works', () => {
  const limited = play(machine, reviewing, LIMIT);
  expect(Object.keys(limited.unavailable)).toEqual(['second-agent']);
});

test('a limit of the agent that works does not block the reviewer', () => {
  const own = {
    'work-agent': { is: 'limited', by: 'limit', until: RESET, resetAt: RESET, reason: 'x', inARow: 1 },
  } as const;
  const checking = play(machine, begun(), INPUTS, STARTED, worked());
  const next = play(machine, { ...checking, unavailable: own }, checked(0, true));
  expect(machine.next(next)).toMatchObject({ do: 'start', agent: { command: 'second-agent' } });
});

test('the reviewer’s success says nothing about a fallback that fails', () => {
  const failing = { codex: { is: 'failing', reason: 'exit 1', inARow: 2 } } as const;
  const after = play(machine, { ...reviewing, unavailable: failing }, worked());
  expect(after.unavailable).toEqual(failing);
});

test('an outage of the reviewer is waited out, and no other agent is asked', () => {
  const out = play(machine, reviewing, ran({ kind: 'infrastructure', reason: '503' }));
  expect(out.phase).toMatchObject({ at: 'wait', then: 'same-iteration', for: { kind: 'infrastructure' } });
  expect(machine.next(play(machine, out, WAITED, INPUTS))).toMatchObject({ do: 'start', key: '1/second/2/start' });
});
