/** The four commands of a session: begin a loop, resume one, end it, show its status. */
import type { CommandEvent, SessionAnswer } from '../../agents/session/host.ts';
import { defined } from '../../core/defined.ts';
import { nextRecord, type Result } from '../../core/record.ts';
import { isOver } from '../../core/state.ts';
import type { Instant } from '../../core/time.ts';
import { openUnder, turnOpen } from '../../engine/loop.ts';
import { readCommandLine } from '../../loops/session/command-line.ts';
import { continuationFor, contractFor } from '../../loops/session/messages.ts';
import type { SessionRequest } from '../../loops/session/request.ts';
import { iterationOf, RESUME, type State, sessionMachine, statusOfSession } from '../../loops/session/rules.ts';
import {
  activeLoop,
  beginLock,
  beginSessionLoop,
  lastLogLines,
  lastLoop,
  logPath,
  note,
  performAtOnce,
  persistTurn,
  readSessionLoop,
  type SessionLoop,
  wakenedBy,
} from '../../loops/session/store.ts';
import { begunNotice, NO_LOOP, statusReport, usage, visible, whereItStands } from '../../loops/session/wording.ts';
import { makeLoopsFolder } from '../../state/new-loop.ts';
import { loopLock } from '../../state/paths.ts';
import { waitForLock } from '../../state/wait-for-lock.ts';
import { treeFingerprint } from '../io/git.ts';
import { type Call, closingText, repeatContract, runningFor, textLimitsFor } from './call.ts';
import { endLeftCheck, forget, noteWaiting } from './check.ts';

type CommandCall = Call<CommandEvent>;

const AT_ONCE_MS = 2000;
const PURPOSE = 'command in a session';
const PATIENCE_MS = 5000;
const BUSY = 'Another hook of ralph is busy with this loop. Try again in a moment.';

export function answerCommand(call: CommandCall): SessionAnswer {
  const { command, args } = call.event;
  if (command === 'cancel-ralph') return cancel(call);
  if (command === 'ralph-status') return status(call);
  const line = readCommandLine(args, { ultrawork: command === 'ulw-loop' });
  switch (line.kind) {
    case 'help':
      return reply(usage(call.typing));
    case 'wrong':
      return reply(`The loop was not started: ${visible(line.why)}.\n${usage(call.typing)}`, true);
    case 'resume':
      return resume(call);
    case 'begin':
      return begin(call, line.request);
  }
}

function begin(call: CommandCall, request: SessionRequest): SessionAnswer {
  const { host, event, place, typing, mask } = call;
  const obstacle = host.obstacle?.(place.session, process.env) ?? null;
  if (obstacle !== null) return reply(obstacle, true);
  makeLoopsFolder(place.root);
  const attempt = waitForLock(beginLock(place), PURPOSE, { patience: PATIENCE_MS });
  if (!attempt.got) return reply(BUSY, true);
  const { lock } = attempt;
  try {
    const active = activeLoop(place);
    const state = active === null ? null : readSessionLoop(active);
    // A killed hook may have left the name of a loop that it had already ended.
    if (state !== null && !isOver(state)) return alreadyActive(call, state, request);
    const start = { request, host: host.name, mark: host.markNow(event), tree: treeFingerprint(event.cwd) };
    const { folder, state: begun } = beginSessionLoop(lock, place, start, { cwd: event.cwd, release: 'hook', mask });
    note(folder, begun, `begun, at most ${request.maximumIterations} iterations`);
    const context = contractFor(request, textLimitsFor(call, folder, request.task));
    return { kind: 'tell', context, notice: `${begunNotice(begun.data, typing)}${capWarning(call, request)}` };
  } finally {
    lock.release();
  }
}

/** Two copies of this hook may get the same command: the second finds the first one's loop, and says nothing. */
function alreadyActive({ typing }: Call, state: State, { task }: SessionRequest): SessionAnswer {
  if (state.iteration === 1 && state.data.request.task === task && isJustNow(state.at)) return { kind: 'nothing' };
  const [status, { slash }] = [statusOfSession(state), typing];
  const orResume =
    status === 'CAP_REACHED' || status === 'PAUSED' ? `, or continue with ${slash}ralph-loop --resume` : '';
  const message = `This session is already in a Ralph loop (${status}, iteration ${iterationOf(state)}). End it with ${slash}cancel-ralph first${orResume}.`;
  return reply(message, true);
}

/** Practically at the same time: no person types a command twice so fast. */
function isJustNow(at: Instant): boolean {
  // A time in the future means that the clock was set back.
  return Date.now() - runningFor() - AT_ONCE_MS <= at && at <= Date.now();
}

function capWarning({ host, cap, typing }: Call, { maximumIterations }: SessionRequest): string {
  if (cap === null || cap.blocks >= maximumIterations) return '';
  return ` Note: ${host.name} overrules a hook that has refused to let it stop ${cap.blocks} times in a row without a tool call; the loop then has the status CAP_REACHED, and ${typing.slash}ralph-loop --resume continues it. ${cap.howToLift(maximumIterations + 1)}`;
}

function resume(call: CommandCall): SessionAnswer {
  const { place, typing } = call;
  const folder = activeLoop(place);
  if (folder === null) {
    const last = lastLoop(place);
    if (last === null) return reply(NO_LOOP, true);
    return reply(`${NO_LOOP} The last one of this session has ended: ${statusOfSession(readSessionLoop(last))}.`, true);
  }
  return inLoop(call, folder, (loop) => {
    const { state } = loop;
    const status = statusOfSession(state);
    if (status !== 'CAP_REACHED' && status !== 'PAUSED') {
      // The other copy of this hook may have just resumed it.
      const isDone = state.data.isResumed && isJustNow(state.at);
      return isDone ? { kind: 'nothing' } : repeatContract(call, folder, state);
    }
    const result: Result =
      status === 'PAUSED' ? wakenedBy(folder, state) : { kind: 'stepped', what: RESUME, gave: null };
    const after = turnOpen(sessionMachine, loop, state, result, performAtOnce(folder));
    persistTurn(place, loop, after);
    note(folder, after, 'resumed');
    const limits = textLimitsFor(call, folder, after.data.request.task);
    return { kind: 'tell', context: continuationFor(after, limits), notice: whereItStands(after, typing) };
  });
}

function cancel(call: CommandCall): SessionAnswer {
  const { place } = call;
  const folder = activeLoop(place);
  if (folder === null) {
    const last = lastLoop(place);
    return last === null ? reply(NO_LOOP) : cancelledBefore(call, readSessionLoop(last), last);
  }
  // The hook whose check was killed sees that a command waits, and gives way without an answer.
  const whileHeld = (): void => {
    noteWaiting(folder);
    endLeftCheck(folder);
  };
  try {
    return inLoop(call, folder, (loop) => endLoop(call, loop), whileHeld);
  } finally {
    forget(folder, 'cancel-waiting.json');
  }
}

function endLoop(call: CommandCall, loop: SessionLoop): SessionAnswer {
  const { state, folder } = loop;
  if (isOver(state)) {
    persistTurn(call.place, loop, state);
    return cancelledBefore(call, state, folder);
  }
  const result = { kind: 'ended', ending: { kind: 'stopped', reason: 'cancelled' } } as const;
  const record = nextRecord(state, { key: 'end', result, at: Date.now() });
  loop.journal.append(record);
  const after = sessionMachine.apply(state, record);
  persistTurn(call.place, loop, after);
  note(folder, after, 'CANCELLED');
  return cancelled(call, after, folder);
}

/** The other copy of this hook may have been faster. */
function cancelledBefore(call: CommandCall, state: State, folder: string): SessionAnswer {
  const isHere = statusOfSession(state) === 'CANCELLED' && isJustNow(state.at);
  return isHere ? cancelled(call, state, folder) : reply(NO_LOOP);
}

function cancelled(call: CommandCall, state: State, folder: string): SessionAnswer {
  return reply(`Cancelled Ralph loop (was at iteration ${iterationOf(state)})\n${closingText(call, state, folder)}`);
}

function status(call: CommandCall): SessionAnswer {
  const folder = activeLoop(call.place) ?? lastLoop(call.place);
  if (folder === null) return reply(NO_LOOP);
  const state = readSessionLoop(folder);
  const closing = statusOfSession(state) === 'ACTIVE' ? null : closingText(call, state, folder);
  const about = { log: logPath(folder), lastLines: lastLogLines(folder), closing, now: Date.now() };
  return reply(statusReport(state, call.typing, about));
}

/** A command waits for the hook that is working on the same loop. */
function inLoop({ mask }: Call, folder: string, act: (loop: SessionLoop) => SessionAnswer, whileHeld?: () => void) {
  const attempt = waitForLock(loopLock(folder), PURPOSE, { patience: PATIENCE_MS, ...defined({ whileHeld }) });
  if (!attempt.got) return reply(BUSY, true);
  const loop = openUnder(attempt.lock, sessionMachine, folder, mask);
  try {
    return act(loop);
  } finally {
    loop.close();
  }
}

function reply(message: string, refused = false): SessionAnswer {
  return { kind: 'reply', message, refused };
}
