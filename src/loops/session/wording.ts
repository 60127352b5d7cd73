/** What the loop inside a session shows to its user: notices, the status, the log, the closing lines. */

import { join } from 'node:path';
import type { Typing } from '../../agents/session/host.ts';
import { hostNamed } from '../../agents/session/hosts.ts';
import { times } from '../../core/budget/usage.ts';
import { describeOutcome } from '../../core/check.ts';
import type { ClosingSummary, NextCommand, WorkState } from '../../core/closing/closing-summary.ts';
import { CHECKED_IN_TREE, describeLeft, humanDuration } from '../../core/closing/closing-summary.ts';
import { isOver } from '../../core/state.ts';
import type { Instant } from '../../core/time.ts';
import { STUCK_NOTICE_AT } from './messages.ts';
import { flagsOf, MOST_ITERATIONS, markerOf, SESSION_DEFAULTS, type SessionRequest } from './request.ts';
import { iterationOf, type SessionData, type State, statusOfSession } from './rules.ts';
import { callsOf, isGivenUp } from './work.ts';

export const NO_LOOP = 'No active Ralph loop found.';

export function unheardPromise(state: State, { slash }: Typing): string {
  return `Ralph loop: ${statusOfSession(state)}. The promise was not judged, because the loop waits. To continue, run: ${slash}ralph-loop --resume`;
}

export function usage({ slash }: Typing): string {
  const indent = ' '.repeat(`Usage: ${slash}ralph-loop `.length);
  return [
    `Usage: ${slash}ralph-loop "<task>" [--max-iterations <N>] [--completion-promise "<PROMISE>"] [--min-tool-calls <M>]`,
    `${indent}[--on-promise-no-work reject|warn|accept] [--promise-position anywhere|end] [--stuck-after <N>]`,
    `${indent}[--check "<command>"]… [--check-timeout <seconds>]`,
    `       ${slash}ralph-loop --resume     continue a loop that is paused, or that the 8-block cap has stopped`,
    `Defaults: --max-iterations ${SESSION_DEFAULTS.maximumIterations}, --completion-promise ${SESSION_DEFAULTS.promise}, --min-tool-calls ${SESSION_DEFAULTS.minToolCalls}, --on-promise-no-work ${SESSION_DEFAULTS.onPromiseNoWork}.`,
    'Flags can go anywhere, as --x 3 or --x=3; after --, everything is the task, exactly as it is.',
    `Example: ${slash}ralph-loop "Make the tests pass" --max-iterations 20 --check "npm test"`,
  ].join('\n');
}

export function begunNotice({ request }: SessionData, typing: Typing): string {
  return `Ralph loop started: at most ${request.maximumIterations} iterations, ends with ${markerOf(request.promise)}. ${commandsNow(typing)}`;
}

export function whereItStands(state: State, typing: Typing): string {
  return `This session is in a Ralph loop, at iteration ${iterationOf(state)}/${state.data.request.maximumIterations}. ${commandsNow(typing)}`;
}

function commandsNow(typing: Typing): string {
  return `${typing.slash}ralph-status shows it, ${cancelWords(typing)} ends it.`;
}

function cancelWords({ slash, needsEsc }: Typing): string {
  return `${slash}cancel-ralph${needsEsc ? ' (while it works, after Esc)' : ''}`;
}

export function goOnNotice(state: State, typing: Typing): string {
  const { data } = state;
  const isStuck = data.idleInARow >= STUCK_NOTICE_AT;
  const stuck = isStuck ? ` Stuck: ${idleNow(data)}; ${cancelWords(typing)} ends the loop.` : '';
  return `Ralph iteration ${iterationOf(state)}/${data.request.maximumIterations}: ${verdictOf(state)}.${stuck}`;
}

export function endNotice(state: State, { slash }: Typing, howToLift: string | null): string | null {
  const status = statusOfSession(state);
  const iterations = iterationOf(state);
  const head = `Ralph loop: ${status}`;
  switch (status) {
    case 'PROMISE_ACCEPTED':
      return `${head} at iteration ${iterations}: ${verdictOf(state)}.`;
    case 'MAX_ITERATIONS_REACHED':
      return `${head} (${state.data.request.maximumIterations}): ${verdictOf(state)}.`;
    case 'STUCK':
      return `${head} at iteration ${iterations}: ${isGivenUp(state.data) ? silentNow(state.data) : idleNow(state.data)}.`;
    case 'CAP_REACHED':
      return `${head} at iteration ${iterations}: the agent's program does not let a hook keep it from stopping more than ${state.data.last?.cap} times in a row without a tool call. To continue, run: ${slash}ralph-loop --resume${howToLift === null ? '' : `. ${howToLift}`}`;
    case 'PAUSED':
      return `${head} at iteration ${iterations}, as you asked. To continue, run: ${slash}ralph-loop --resume`;
    default:
      return null;
  }
}

export function logLine(state: State): string {
  const status = statusOfSession(state);
  const sent = status === 'ACTIVE' ? 'sent back' : status;
  const counted = callsOf(state.data);
  const calls = counted === null ? 'tool calls unknown' : `${counted} tool calls so far`;
  const stuck = state.data.idleInARow >= STUCK_NOTICE_AT ? `; stuck: ${idleNow(state.data)}` : '';
  return `${verdictOf(state)}; ${calls}${stuck}; ${sent}`;
}

/** `closing`: the closing lines, if the loop has ended or waits. */
export function statusReport(
  state: State,
  { slash }: Typing,
  about: Readonly<{ log: string; lastLines: readonly string[]; closing: string | null; now: Instant }>,
): string {
  const { request } = state.data;
  const status = statusOfSession(state);
  return [
    `Ralph loop: ${status}, iteration ${iterationOf(state)} of at most ${request.maximumIterations}`,
    `Promise: ${markerOf(request.promise)}${request.ultrawork ? ' (ulw-loop)' : ''}`,
    `Task: ${visible(firstLineOf(request.task))}`,
    `Folder: ${visible(state.cwd)}`,
    `Tool calls: ${callsOf(state.data) ?? 'unknown'} (at least ${request.minToolCalls} needed, otherwise ${request.onPromiseNoWork})`,
    ...(request.checks.length === 0 ? [] : [`Checks: ${visible(request.checks.join(' ; '))}`]),
    `Last decision: ${verdictOf(state)}`,
    ...(status === 'CAP_REACHED' || status === 'PAUSED' ? [`To continue, run: ${slash}ralph-loop --resume`] : []),
    ...(status === 'ACTIVE'
      ? [
          `Running for ${humanDuration(about.now - state.startedAt)}; cost unknown`,
          'It continues whenever this session would stop, even after the session was closed and resumed.',
        ]
      : []),
    `Log: ${about.log}`,
    ...about.lastLines.map((line) => `  ${line}`),
    ...(about.closing === null ? [] : [about.closing]),
  ].join('\n');
}

function verdictOf({ phase, data }: State): string {
  // A promise is not accepted before its checks have finished.
  if (phase.at === 'check') return 'promise found; its checks have not finished, or were interrupted';
  const { verdict, request, failedChecks, last } = data;
  const where = last?.worktree === undefined ? '' : ` in ${visible(last.worktree)}`;
  switch (verdict) {
    case 'none-yet':
      return 'nothing decided yet';
    case 'no-promise':
      return 'promise not found';
    case 'waiting':
      return `promise not found, but something is still running in the background; not counted`;
    case 'no-work': {
      const calls = callsOf(data);
      return `promise found, rejected: ${calls === null ? 'no sign of work' : `${calls} tool calls, ${request.minToolCalls} needed`}`;
    }
    case 'checks-failed':
      return `promise found, rejected: ${failedChecks.length} of ${request.checks.length} checks failed${where}`;
    case 'accepted':
      return `promise found, ${request.checks.length === 0 ? '' : `all checks passed${where}, `}accepted`;
    case 'not-judged':
      return 'the promise was given in the last turn and was not judged; check for yourself whether the task is done';
    case 'accepted-without-work':
      return 'promise found, accepted with a warning: no tool calls/work were performed';
  }
}

function idleNow({ idleInARow }: SessionData): string {
  return `${idleInARow} continuations in a row without a tool call or with the same reply`;
}

function silentNow({ silentInARow, host }: SessionData): string {
  return `${silentInARow} turns in a row without a word or a tool call: ${hostNamed(host)?.fallsSilent}`;
}

function firstLineOf(task: string): string {
  const line = task.trim().split('\n', 1)[0] ?? '';
  return line.length > 200 || task.trim().length > line.length ? `${line.slice(0, 200)} […]` : line;
}

/** Removes control characters: pasted text could contain escape sequences that a terminal would obey. */
export function visible(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is taken out
  return text.replaceAll(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '');
}

interface AtTheEnd {
  readonly work: WorkState;
  readonly folder: string;
  /** The command that continues a loop that waits, or whose session has ended; null if none needs to be shown. */
  readonly resume: string | null;
  again(request: SessionRequest): string;
}

export function sessionClosing(state: State, end: AtTheEnd): ClosingSummary {
  const { data, usage } = state;
  // The session's agent has run since the beginning, even if it never stopped; hosts do not report its cost.
  const runs = Math.max(usage.runs, 1);
  return {
    ...outcomeOf(state),
    durationMs: state.workedMs,
    usage: { ...usage, runs, runsWithoutCost: runs },
    ...(isDone(state) && data.request.checks.length > 0 ? { checked: CHECKED_IN_TREE } : {}),
    red: data.red.map(({ command, outcome, log: name }) => {
      const log = name === '' ? null : join(end.folder, name);
      return { command, exit: describeOutcome(outcome), log };
    }),
    details: [
      data.promises === 0 ? 'The agent never gave the promise.' : `The agent gave the promise ${times(data.promises)}.`,
      ...checkDetail(state),
    ],
    work: end.work,
    next: nextCommands(state, end),
  };
}

/** Counts iterations as the specification does: how often the agent was sent back. */
function outcomeOf(state: State): Pick<ClosingSummary, 'mark' | 'outcome'> {
  const iterations = iterationOf(state);
  if (!isOver(state)) {
    const how = statusOfSession(state) === 'ACTIVE' ? 'Interrupted' : 'Paused';
    return { mark: 'needs-you', outcome: `${how} at iteration ${iterations}` };
  }
  const { ending } = state.phase;
  if (ending.kind === 'iteration-limit')
    return describeLeft({ ...ending, limit: state.data.request.maximumIterations }, iterations);
  if (iterations === 0 && ending.kind === 'done') return { mark: 'done', outcome: 'Done at the first stop' };
  if (iterations === 0 && ending.kind === 'stopped') {
    const when = ending.isBetween === true ? 'when the agent first stopped' : 'before the agent did';
    return { mark: 'failed', outcome: `Stopped ${when}, as you asked` };
  }
  return describeLeft(ending, iterations);
}

const isDone = (state: State): boolean => isOver(state) && state.phase.ending.kind === 'done';

function checkDetail(state: State): string[] {
  if (!isDone(state)) return [];
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

/** The command to begin the same loop again. A task that is too long or has several lines is left out. */
export function commandAgain(slash: string, request: SessionRequest): string {
  const { task, ultrawork } = request;
  const isLine = task.length <= LONGEST_SHOWN_TASK && task.trim() === task && !/[\r\n]/.test(task);
  const flags = flagsOf(request).map(({ name, value }) => `--${name} ${quoted(value)}`);
  const behind = isLine ? `-- ${task}` : '-- <the task>';
  return [`${slash}${ultrawork ? 'ulw' : 'ralph'}-loop`, ...flags, behind].join(' ');
}

/** Quotes a value for a flag of the command. */
function quoted(value: string): string {
  return /^[\w./:=+-]+$/.test(value) ? value : `"${value.replaceAll('"', String.raw`\"`)}"`;
}
