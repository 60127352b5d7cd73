/** The last lines of a loop inside a session: the facts that every loop ends with, as far as they are known in there. */

import { describeOutcome } from '../../core/check.ts';
import { type ClosingSummary, describeLeft, type NextCommand, type WorkState } from '../../core/closing-summary.ts';
import { isOver, type LoopState } from '../../core/state.ts';
import { times } from '../../core/usage.ts';
import { flagsOf } from './flags.ts';
import { MOST_ITERATIONS, type SessionRequest } from './request.ts';
import { iterationOf, type SessionData, statusOfSession } from './rules.ts';

type State = LoopState<SessionData>;

/** How a person goes on from here; null where there is nothing to go on with. */
export interface Continuing {
  /** The loop that waits, or that its session has left. */
  readonly resume: string | null;
  /** The same task again, with another limit. */
  again(request: SessionRequest): string | null;
}

/** `logOf`: where a log in the loop's folder lies. */
export function sessionClosing(
  state: State,
  { work, logOf, continuing }: { work: WorkState; logOf(name: string): string; continuing: Continuing },
): ClosingSummary {
  const { data, usage } = state;
  // The session's agent has run from the beginning, also when it never came to a stop; what it costs, no host tells.
  const runs = Math.max(usage.runs, 1);
  return {
    ...outcomeOf(state),
    durationMs: state.workedMs,
    usage: { ...usage, runs, runsWithoutCost: runs },
    red: data.red.map(({ command, outcome, log }) => ({
      command,
      exit: describeOutcome(outcome),
      log: log === '' ? null : logOf(log),
    })),
    details: [promiseDetail(state), ...checkDetail(state)],
    work,
    next: nextCommands(state, work, continuing),
  };
}

/** An iteration is here what the specification calls one: how often the agent was sent back. */
function outcomeOf(state: State): Pick<ClosingSummary, 'mark' | 'outcome'> {
  const iterations = iterationOf(state);
  if (!isOver(state)) {
    const how = statusOfSession(state) === 'CAP_REACHED' ? 'Paused' : 'Interrupted';
    return { mark: 'needs-you', outcome: `${how} at iteration ${iterations}` };
  }
  const { ending } = state.phase;
  if (ending.kind === 'iteration-limit') {
    return describeLeft({ kind: 'iteration-limit', limit: state.data.request.maximumIterations }, iterations);
  }
  if (iterations > 0) return describeLeft(ending, iterations);
  switch (ending.kind) {
    case 'done':
      return { mark: 'done', outcome: 'Done at the first stop' };
    case 'stopped':
      return { mark: 'failed', outcome: 'Stopped before the agent did, as you asked' };
    default:
      return describeLeft(ending, iterations);
  }
}

function promiseDetail({ data }: State): string {
  return data.promises === 0
    ? 'The agent never gave the promise.'
    : `The agent gave the promise ${times(data.promises)}.`;
}

function checkDetail(state: State): string[] {
  if (!isOver(state) || state.phase.ending.kind !== 'done') return [];
  const { checks } = state.data.request;
  return checks.length === 0 ? ['Nothing was checked: the loop had no --check.'] : [`Passed: ${checks.join(', ')}.`];
}

function nextCommands(state: State, work: WorkState, { resume, again }: Continuing): NextCommand[] {
  if (!isOver(state)) return resume === null ? [] : [{ command: resume, why: 'continue' }];
  const { request } = state.data;
  switch (state.phase.ending.kind) {
    case 'done':
      if (work.kind === 'committed') return [{ command: 'git log --stat -3', why: 'the latest commits' }];
      return work.kind === 'uncommitted' ? [{ command: 'git status', why: 'what is not committed' }] : [];
    case 'stopped':
      return [];
    case 'iteration-limit': {
      const more = Math.min(request.maximumIterations * 2, MOST_ITERATIONS);
      const command = again({ ...request, maximumIterations: more });
      return command === null ? [] : [{ command, why: 'the same with more iterations' }];
    }
    default: {
      const command = again(request);
      return command === null ? [] : [{ command, why: 'the same again' }];
    }
  }
}

const LONGEST_SHOWN_TASK = 200;

/** What is typed to begin the same loop; a task that is no line to copy is left to the person. */
export function commandAgain(slash: string, request: SessionRequest): string {
  const { task, ultrawork } = request;
  const isLine = task.length <= LONGEST_SHOWN_TASK && task.trim() === task && !/[\r\n]/.test(task);
  const flags = flagsOf(request).map(({ name, value }) => `--${name} ${quoted(value)}`);
  const behind = isLine ? `-- ${task}` : '-- <the task>';
  return [`${slash}${ultrawork ? 'ulw' : 'ralph'}-loop`, ...flags, behind].join(' ');
}

/** As the flags of the command take it. */
function quoted(value: string): string {
  return /^[\w./:=+-]+$/.test(value) ? value : `"${value.replaceAll('"', String.raw`\"`)}"`;
}
