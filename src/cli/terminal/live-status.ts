/** What a running loop does now, folded from its events for the status line. Numbers come from records and `usage`. */
import { labelOf } from '../../checks/index.ts';
import type { Action, Purpose } from '../../core/action.ts';
import { NO_USAGE, type Usage } from '../../core/budget/usage.ts';
import type { CallUsage } from '../../core/events.ts';
import { type LoopState, questionOf } from '../../core/state.ts';
import type { Instant } from '../../core/time.ts';
import type { LoopEvent } from '../../engine/drive.ts';

/** How a loop kind names what it does; for the rest, all kinds share words. */
export interface StatusWords<Data> {
  limit(data: Data): number | undefined;
  run?(purpose: Purpose, data: Data): string | undefined;
  readonly steps?: Readonly<Record<string, string>>;
  /** False if the agent's output goes elsewhere, so that it is not known whether the agent is quiet. */
  readonly isHeard?: boolean;
}

export interface LiveView {
  readonly iteration: number;
  readonly limit: number | null;
  readonly phase: LivePhase;
  readonly cost: LiveCost | null;
  /** Input and output tokens of all runs; null if no agent has reported any. */
  readonly tokens: number | null;
}

export type LivePhase =
  /** `lastSign`: when the agent last printed something, or was started. `tool`: as the agent wrote it, unmasked. */
  | {
      readonly is: 'run';
      readonly name: string;
      readonly since: Instant;
      readonly lastSign: Instant | null;
      readonly tool: string;
    }
  | { readonly is: 'step'; readonly name: string; readonly since: Instant; readonly detail: string }
  | { readonly is: 'wait'; readonly until: Instant }
  /** `question`: what a person has to answer first; null for nothing. */
  | { readonly is: 'paused'; readonly since: Instant; readonly question: string | null };

/** `isAtLeast`: some of it is not known, or not yet. */
export interface LiveCost {
  readonly usd: number;
  readonly isAtLeast: boolean;
  /** Part of it was estimated from a list of prices. */
  readonly isEstimated?: true;
}

/** Enough for any screen, and to mask a whole secret before the rest is cut off. */
const TOOL_CHARS = 4000;

export function liveStatus<Data>(words: StatusWords<Data>, begun: Instant) {
  let iteration = 1;
  let limit: number | null = null;
  let phase: LivePhase = { is: 'step', name: 'starting', since: begun, detail: '' };
  let usage: Usage = NO_USAGE;
  /** What the current run has used so far, call by call. */
  const calls = new Map<string, CallUsage>();
  const tools = new Map<string, string>();

  const know = (state: LoopState<Data>): void => {
    ({ iteration, usage } = state);
    limit = words.limit(state.data) ?? null;
  };
  const begin = (action: Action, state: LoopState<Data>, now: Instant): void => {
    if (action.do !== 'await') {
      calls.clear();
      tools.clear();
    }
    phase = phaseOf(action, state, words, now);
  };
  const hear = (event: Extract<LoopEvent, { type: 'progress' }>['event'], now: Instant): void => {
    if (event.type === 'usage') calls.set(event.id, event);
    // The agent's own figures for the whole run replace those of the calls.
    if (event.type === 'result') {
      calls.clear();
      calls.set('result', event);
    }
    if (event.type === 'tool-start') tools.set(event.id, `${event.name} ${event.input.slice(0, TOOL_CHARS)}`);
    if (event.type === 'tool-end') tools.delete(event.id);
    // A refusal comes from the sandbox, not from the agent.
    if (phase.is === 'run' && phase.lastSign !== null && event.type !== 'refusal')
      phase = { ...phase, lastSign: now, tool: [...tools.values()].at(-1) ?? '' };
  };
  return {
    take(event: LoopEvent<Data>, now: Instant): void {
      if (event.type === 'progress') {
        hear(event.event, now);
        return;
      }
      know(event.state);
      if (event.type === 'action') begin(event.action, event.state, now);
      // From here on, the figures of the run are in the records.
      else if (event.type === 'record' && event.record.result.kind !== 'started') calls.clear();
    },
    view: (): LiveView => ({
      iteration,
      limit,
      phase,
      cost: costOf(usage, [...calls.values()], phase.is === 'run'),
      tokens: tokensOf(usage, [...calls.values()]),
    }),
  };
}

function phaseOf<Data>(action: Action, state: LoopState<Data>, words: StatusWords<Data>, now: Instant): LivePhase {
  const step = (name: string, detail = ''): LivePhase => ({ is: 'step', name, since: now, detail });
  switch (action.do) {
    case 'read-inputs':
      return step('reading the prompt');
    case 'start':
    case 'await': {
      const { purpose } = action.run;
      const name = words.run?.(purpose, state.data) ?? (purpose === 'message' ? 'commit message' : purpose);
      // A run that an earlier supervisor started has been running since then.
      const since = action.do === 'await' ? Math.min(state.at, now) : now;
      return { is: 'run', name, since, lastSign: words.isHeard === false ? null : now, tool: '' };
    }
    case 'check':
      return step('check', labelOf(action.check));
    case 'publish':
      return step(action.what.task);
    case 'step':
      return step(words.steps?.[action.what] ?? action.what);
    case 'wait':
      if (action.until === 'command') return { is: 'paused', since: now, question: questionOf(state) };
      return action.until === 'now' ? step('next iteration') : { is: 'wait', until: action.until };
    case 'end':
      return step('ending');
  }
}

function costOf(usage: Usage, calls: readonly CallUsage[], isRunning: boolean): LiveCost | null {
  const known = calls.flatMap(({ costUsd }) => costUsd ?? []);
  if (known.length === 0 && usage.runs === usage.runsWithoutCost) return null;
  const isOpen = isRunning && (known.length === 0 || known.length < calls.length);
  const isEstimated = usage.estimatedRuns !== undefined || calls.some(({ costSource }) => costSource === 'estimated');
  return {
    usd: sum([usage.costUsd, ...known]),
    isAtLeast: isOpen || usage.runsWithoutCost > 0,
    ...(isEstimated ? { isEstimated } : {}),
  };
}

function tokensOf(usage: Usage, calls: readonly CallUsage[]): number | null {
  const known = calls.flatMap(({ inputTokens = 0, outputTokens = 0 }) => inputTokens + outputTokens || []);
  if (known.length === 0 && usage.runs === usage.runsWithoutTokens) return null;
  return sum([usage.inputTokens, usage.outputTokens, ...known]);
}

const sum = (figures: readonly number[]): number => figures.reduce((total, figure) => total + figure, 0);
