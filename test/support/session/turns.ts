/** Runs the machine of the loop inside a session on what an agent said and did in each turn. */
import { outcomeOfCommand } from '../../../src/core/check.ts';
import { turnAtOnce } from '../../../src/core/machine/turn.ts';
import type { Recorded, Result } from '../../../src/core/record.ts';
import type { LoopState } from '../../../src/core/state.ts';
import type { Json } from '../../../src/core/text/json.ts';
import { SESSION_DEFAULTS, type SessionRequest } from '../../../src/loops/session/request.ts';
import { type SessionData, sessionMachine } from '../../../src/loops/session/rules.ts';
import { performAtOnce } from '../../../src/loops/session/store.ts';
import type { SeenInTurn } from '../../../src/loops/session/work.ts';

export const TELLING = { longestText: 9500, unit: 'characters', taskFile: '/state/task.txt' } as const;

export type Ran = Extract<Result, { kind: 'ran' }>;

export function loopAfter(request: Partial<SessionRequest>, ...runs: readonly Ran[]): LoopState<SessionData> {
  return runs.reduce<LoopState<SessionData>>(on, begun(request, 'claude'));
}

export function begun(request: Partial<SessionRequest>, host: string): LoopState<SessionData> {
  const start = {
    request: { ...SESSION_DEFAULTS, task: 'Work.', ...request },
    host,
    mark: { transcript: null, offset: 0 },
    tree: 'tree',
  };
  const created = { id: 'session-x', loopKind: 'session', cwd: '/w', release: '1', options: start as unknown as Json };
  const first: Recorded = { v: 1, seq: 0, at: 0, key: 'created', attempt: 1, result: { kind: 'created', ...created } };
  return turnAtOnce(sessionMachine, sessionMachine.begin(first), null, effects);
}

export const effects = { perform: performAtOnce('/no/such/loop'), append: () => undefined, now: 0 };

export function on(state: LoopState<SessionData>, result: Result): LoopState<SessionData> {
  return turnAtOnce(sessionMachine, state, result, effects);
}

export function said(tag: string | null, seen: Partial<SeenInTurn> = {}): Ran {
  const whole: SeenInTurn = {
    toolCalls: 0,
    hasOutput: false,
    reply: `${Math.random()}`,
    late: null,
    mark: { transcript: '/t', offset: 1 },
    isFresh: false,
    isSilent: false,
    cap: null,
    ...seen,
  };
  return {
    kind: 'ran',
    outcome: { kind: 'worked' },
    said: { tag, firstLine: null },
    transcript: { path: '/t', bytes: 1 },
    seen: whole,
  };
}

export function withCap(ran: Ran, cap: number | null): Ran {
  return { ...ran, seen: { ...(ran.seen as object), cap } };
}

export function checked(index: number, passed: boolean, output = 'boom'): Result {
  const outcome = outcomeOfCommand({ by: 'code', code: passed ? 0 : 1 });
  return {
    kind: 'checked',
    index,
    outcome,
    log: 'l',
    output: passed ? '' : output,
    truncated: false,
    durationMs: 1,
  };
}
