/** All messages of the loop inside a session to its agent, in the words of the specification where it gives them. */
import type { SessionHost } from '../../agents/session/host.ts';
import { describeOutcome } from '../../core/check.ts';
import { toldText } from '../../core/prompt/told.ts';
import { markerOf, type SessionRequest } from './request.ts';
import type { FailedCheck, SessionData, State } from './rules.ts';
import { callsOf } from './work.ts';

/** How long a text the host accepts: for a longer task, the agent gets the path of its file. */
export interface TextLimits extends Pick<SessionHost, 'longestText' | 'unit'> {
  /** The file that contains the whole task. */
  readonly taskFile: string;
}

/** After this many idle continuations in a row, the agent and the user are told that the loop is stuck. */
export const STUCK_NOTICE_AT = 3;

const OPENING_OF_LONG_TASK = 1500;
/** Reserved for everything around the task. */
const ROOM_FOR_RULES = 3500;
const ROOM_FOR_CHECKS = 3000;
/** Only the first checks are shown. */
const SHOWN_CHECKS = 5;
const LONGEST_COMMAND = 300;

const ULTRAWORK =
  'Ultrawork mode: work with your full effort. Plan first, use every tool that helps, run independent work in parallel, verify each result by running it, and leave nothing half done.';

/** The instructions for the agent at the start of the loop, and again after its context was compacted. */
export function contractFor(request: SessionRequest, limits: TextLimits): string {
  const { promise, maximumIterations, promisePosition, checks } = request;
  const marker = markerOf(promise);
  const checked = `The promise counts only if these commands exit 0 then:\n${listed(checks, limits)}`;
  return [
    'You are in a Ralph loop. These are strict requirements; do not violate them.',
    `The task:\n${taskOr(request.task, limits, ROOM_FOR_RULES)}`,
    [
      `Stopping rule: only when the task is fully done, output exactly this promise: ${marker}`,
      'It must match exactly: the same case, no whitespace inside the tag, no variants.',
      'If the task is not done, do not output the promise.',
      ...(promisePosition === 'end' ? ['It counts only as the last line of your last message.'] : []),
      ...neededWork(request),
      `If you stop without it, you are sent back to the task, at most ${maximumIterations} times.`,
    ].join('\n'),
    ...(checks.length === 0 ? [] : [checked]),
  ].join('\n\n');
}

function neededWork({ minToolCalls, onPromiseNoWork }: SessionRequest): string[] {
  if (onPromiseNoWork !== 'reject' || minToolCalls === 0) return [];
  if (minToolCalls === 1) return ['A promise without work behind it is rejected.'];
  return [`A promise with fewer than ${minToolCalls} tool calls behind it is rejected.`];
}

export function continuationFor({ data, told }: State, limits: TextLimits): string {
  const { request, failedChecks, idleInARow } = data;
  const messages = told.map(toldText);
  const room = ROOM_FOR_RULES + (failedChecks.length > 0 ? ROOM_FOR_CHECKS : 0) + messages.join('').length;
  const stuck = `The last ${idleInARow} continuations brought no tool call or the same reply: this loop is stuck. Do something different from what you did before; if something keeps you from the task, say exactly what.`;
  return [
    ...(request.ultrawork ? [ULTRAWORK] : []),
    ...reasons(data, limits),
    ...(idleInARow >= STUCK_NOTICE_AT ? [stuck] : []),
    ...messages,
    `Original task: ${taskOr(request.task, limits, room)}`,
  ].join('\n\n');
}

function reasons(data: SessionData, limits: TextLimits): string[] {
  const { request, verdict, failedChecks, last } = data;
  const marker = markerOf(request.promise);
  const running = (last?.background ?? []).map(({ what }) => what);
  const shown = failedChecks.slice(0, SHOWN_CHECKS);
  const unkept = `You attempted to end the loop, but you did not output the completion promise ${marker}. Continue working on the original task below. Only output the promise when the task is fully complete.`;
  switch (verdict) {
    case 'waiting':
      return [
        unkept,
        `Still running in the background:\n${listed(running, limits)}\nIf the task needs the result, wait for it with a tool call instead of ending your turn.`,
      ];
    case 'no-work':
      return [
        'Promise detected, but no tool calls/work were performed; you must actually complete the task before emitting the promise.',
        ...(request.minToolCalls > 1
          ? [`At least ${request.minToolCalls} tool calls are needed; so far: ${callsOf(data) ?? 'unknown'}.`]
          : []),
        `Continue working on the original task below. Only output the promise ${marker} when the task is fully complete.`,
      ];
    case 'checks-failed':
      return [
        `Promise detected, but ${failedChecks.length === 1 ? 'a check' : `${failedChecks.length} checks`} failed; the promise does not count until all checks pass.`,
        ...(last?.worktree === undefined ? [] : [`The checks ran in the worktree that you work in: ${last.worktree}`]),
        ...shown.map((check) => failedCheck(check, ROOM_FOR_CHECKS / shown.length, limits)),
        ...more(failedChecks.length),
        `Continue working on the original task below. Only output the promise ${marker} again when the task is fully complete.`,
      ];
    default:
      return [unkept];
  }
}

function failedCheck({ command, outcome, output, truncated }: FailedCheck, room: number, limits: TextLimits): string {
  const shown = cut(output, room, limits);
  const isCut = truncated || shown.length < output.length;
  const text = shown.trimEnd();
  const said = text === '' ? 'It printed nothing.' : `${text}${isCut ? '\n[…]' : ''}`;
  return `Check failed (${describeOutcome(outcome)}): ${shortened(command, limits)}\n${said}`;
}

/** True if a message may have to refer to the task by its file. */
export function isLong(task: string, limits: Pick<TextLimits, 'longestText' | 'unit'>): boolean {
  return cut(task, limits.longestText - ROOM_FOR_RULES - ROOM_FOR_CHECKS, limits) !== task;
}

function taskOr(task: string, limits: TextLimits, room: number): string {
  if (cut(task, limits.longestText - room, limits) === task) return task;
  const where = `(The task is long, ${task.length} characters. The file ${limits.taskFile} contains it in full, unchanged: read all of it before you continue. It begins:)`;
  return `${where}\n${cut(task, OPENING_OF_LONG_TASK, limits)}\n[…]`;
}

function listed(commands: readonly string[], limits: TextLimits): string {
  const shown = commands.slice(0, SHOWN_CHECKS).map((command) => `- ${shortened(command, limits)}`);
  return [...shown, ...more(commands.length)].join('\n');
}

function more(all: number): string[] {
  return all > SHOWN_CHECKS ? [`(and ${all - SHOWN_CHECKS} more)`] : [];
}

function shortened(command: string, limits: TextLimits): string {
  const shown = cut(command, LONGEST_COMMAND, limits);
  return shown === command ? command : `${shown}…`;
}

/** Never cuts through the middle of a character. */
function cut(text: string, length: number, { unit }: Pick<TextLimits, 'unit'>): string {
  if (unit === 'characters') return text.slice(0, length).replace(/[\ud800-\udbff]$/, '');
  const bytes = Buffer.from(text);
  if (bytes.length <= length) return text;
  let end = Math.floor(length);
  // In UTF-8 only the first byte of a character does not begin with the bits 10.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}
