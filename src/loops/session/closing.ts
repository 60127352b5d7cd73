/** The last lines of a loop inside a session: the facts that every loop ends with, as far as they are known in there. */
import { join } from 'node:path';
import { describeOutcome } from '../../core/check.ts';
import { type ClosingSummary, describeLeft, type NextCommand, type WorkState } from '../../core/closing-summary.ts';
import { isOver, type LoopState } from '../../core/state.ts';
import { times } from '../../core/usage.ts';
import { flagsOf, MOST_ITERATIONS, type SessionRequest } from './request.ts';
import { iterationOf, type SessionData, statusOfSession } from './rules.ts';

type State = LoopState<SessionData>;

export interface AtTheEnd {
  readonly work: WorkState;
  /** The loop's. */
  readonly folder: string;
  /** The command that goes on with a loop that waits, or that its session has left; null where none has to be told. */
  readonly resume: string | null;
  /** The command that begins such a loop again. */
  again(request: SessionRequest): string;
}

export function sessionClosing(state: State, end: AtTheEnd): ClosingSummary {
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
      log: log === '' ? null : join(end.folder, log),
    })),
    details: [promiseDetail(state), ...checkDetail(state)],
    work: end.work,
    next: nextCommands(state, end),
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

function promiseDetail({ data: { promises } }: State): string {
  return promises === 0 ? 'The agent never gave the promise.' : `The agent gave the promise ${times(promises)}.`;
}

function checkDetail(state: State): string[] {
  if (!isOver(state) || state.phase.ending.kind !== 'done') return [];
  const { checks } = state.data.request;
  return checks.length === 0 ? ['Nothing was checked: the loop had no --check.'] : [`Passed: ${checks.join(', ')}.`];
}

function nextCommands(state: State, { work, resume, again }: AtTheEnd): NextCommand[] {
  if (!isOver(state)) return resume === null ? [] : [{ command: resume, why: 'continue' }];
  const { request } = state.data;
  switch (state.phase.ending.kind) {
    case 'done':
      if (work.kind === 'committed') return [{ command: 'git log --stat -3', why: 'the latest commits' }];
      return work.kind === 'uncommitted' ? [{ command: 'git status', why: 'what is not committed' }] : [];
    case 'stopped':
      return [];
    case 'iteration-limit': {
      const maximumIterations = Math.min(request.maximumIterations * 2, MOST_ITERATIONS);
      return [{ command: again({ ...request, maximumIterations }), why: 'the same with more iterations' }];
    }
    default:
      return [{ command: again(request), why: 'the same again' }];
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
