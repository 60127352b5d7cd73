/** What the four commands do: begin a loop, go on with one, end it, tell of it. */

import type { CommandEvent, SessionAnswer, SessionHost, Typing } from '../../agents/session/host.ts';
import { nextRecord, type Recorded } from '../../core/record.ts';
import { isOver, type LoopState } from '../../core/state.ts';
import { maskFor } from '../../core/text/mask.ts';
import type { Instant } from '../../core/time.ts';
import { turnAtOnce } from '../../core/turn.ts';
import { type CommandLine, readCommandLine } from '../../loops/session/command-line.ts';
import { continuationFor, contractFor } from '../../loops/session/messages.ts';
import type { SessionRequest } from '../../loops/session/request.ts';
import { iterationOf, RESUME, type SessionData, sessionMachine, statusOfSession } from '../../loops/session/rules.ts';
import { performAtOnce } from '../../loops/session/turn.ts';
import {
  begunNotice,
  cancelled,
  NO_LOOP,
  refusal,
  statusReport,
  usage,
  whereItStands,
} from '../../loops/session/wording.ts';
import { closingText } from './closing.ts';
import { treeFingerprint } from './fingerprint.ts';
import { underBeginLock, underLoopLock, underLoopLockAtOnce } from './locks.ts';
import { lastLines, logPath, note } from './log.ts';
import { tellingFor } from './messages.ts';
import { startedAt } from './own-time.ts';
import { activeLoop, beginLoop, lastLoop, openLoop, readLoop, type SessionPlace, settle } from './store.ts';

const AT_ONCE_MS = 2000;

export function answerCommand(host: SessionHost, event: CommandEvent, place: SessionPlace): SessionAnswer {
  switch (event.command) {
    case 'ralph-loop':
    case 'ulw-loop':
      return follow(host, event, place, readCommandLine(event.args, { ultrawork: event.command === 'ulw-loop' }));
    case 'cancel-ralph':
      return cancel(host.typing(process.env), place);
    case 'ralph-status':
      return status(host, place);
  }
}

function follow(host: SessionHost, event: CommandEvent, place: SessionPlace, line: CommandLine): SessionAnswer {
  switch (line.kind) {
    case 'help':
      return reply(usage(host.typing(process.env)));
    case 'wrong':
      return { kind: 'reply', message: refusal(line.why, host.typing(process.env)), refused: true };
    case 'resume':
      return resume(host, event, place);
    case 'begin':
      return begin(host, event, place, line.request);
  }
}

function begin(host: SessionHost, event: CommandEvent, place: SessionPlace, request: SessionRequest): SessionAnswer {
  const obstacle = host.obstacle?.(place.session, process.env) ?? null;
  if (obstacle !== null) return { kind: 'reply', message: obstacle, refused: true };
  return underBeginLock(place, () => {
    const active = activeLoop(place);
    const state = active === null ? null : readLoop(active);
    // A hook that was killed may have left the name of a loop that it had ended.
    if (state !== null && !isOver(state)) return alreadyActive(state, request, host.typing(process.env));
    const mask = maskFor(process.env);
    const start = { request, host: host.name, mark: host.markNow(event), tree: treeFingerprint(event.cwd) };
    const about = { cwd: event.cwd, release: 'hook', now: Date.now(), mask };
    const { folder, state: begun } = beginLoop(place, start, about);
    note(folder, begun, `begun, at most ${request.maximumIterations} iterations`);
    const context = contractFor(request, tellingFor(host, event, folder, request.task));
    return {
      kind: 'tell',
      context,
      notice: `${begunNotice(begun.data, host.typing(process.env))}${capWarning(host, request)}`,
    };
  });
}

/** Two copies of this hook may hear one command: the second one finds the first one's loop, and keeps silent. */
function alreadyActive(state: LoopState<SessionData>, { task }: SessionRequest, { slash }: Typing): SessionAnswer {
  if (state.iteration === 1 && state.data.request.task === task && isJustNow(state.at)) return { kind: 'nothing' };
  const message = `This session is in a Ralph loop already (${statusOfSession(state)}, iteration ${iterationOf(state)}). End it with ${slash}cancel-ralph first${statusOfSession(state) === 'CAP_REACHED' ? `, or go on with ${slash}ralph-loop --resume` : ''}.`;
  return { kind: 'reply', message, refused: true };
}

/** As good as at the same time: nobody types a command twice so fast. */
function isJustNow(at: Instant): boolean {
  // Later than now is a clock that was set back.
  return startedAt() - AT_ONCE_MS <= at && at <= Date.now();
}

function capWarning(host: SessionHost, { maximumIterations }: SessionRequest): string {
  const cap = host.cap?.(process.env) ?? null;
  if (cap === null || cap.blocks >= maximumIterations) return '';
  return ` Note: ${host.name} overrules a hook that has refused the end ${cap.blocks} times in a row without a tool call; the loop then stands at CAP_REACHED, and ${host.typing(process.env).slash}ralph-loop --resume goes on. ${cap.howToLift(maximumIterations + 1)}`;
}

function resume(host: SessionHost, event: CommandEvent, place: SessionPlace): SessionAnswer {
  const folder = activeLoop(place);
  if (folder === null) return { kind: 'reply', message: endedOrNone(place), refused: true };
  return underLoopLock(folder, () => {
    const { journal, records, state } = openLoop(folder, maskFor(process.env));
    try {
      const telling = tellingFor(host, event, folder, state.data.request.task);
      if (statusOfSession(state) !== 'CAP_REACHED') {
        // Unless the other copy of this hook has just resumed it.
        if (isResumed(records) && isJustNow(state.at)) return { kind: 'nothing' };
        return {
          kind: 'tell',
          context: contractFor(state.data.request, telling),
          notice: whereItStands(state, host.typing(process.env)),
        };
      }
      const now = Date.now();
      const effects = { perform: performAtOnce, append: journal.append, now };
      const after = turnAtOnce(sessionMachine, state, { kind: 'stepped', what: RESUME, gave: null }, effects);
      journal.syncNow();
      settle(place, folder, after, records[0]?.at ?? now);
      note(folder, after, 'resumed');
      return {
        kind: 'tell',
        context: continuationFor(after, telling),
        notice: whereItStands(after, host.typing(process.env)),
      };
    } finally {
      journal.close();
    }
  });
}

function endedOrNone(place: SessionPlace): string {
  const last = lastLoop(place);
  if (last === null) return NO_LOOP;
  return `${NO_LOOP} The last one of this session has ended: ${statusOfSession(readLoop(last))}.`;
}

function isResumed(records: readonly Recorded[]): boolean {
  const last = records.findLast(({ result }) => result.kind === 'ran' || result.kind === 'stepped');
  return last?.result.kind === 'stepped' && last.result.what === RESUME;
}

function cancel(typing: Typing, place: SessionPlace): SessionAnswer {
  const folder = activeLoop(place);
  if (folder === null) {
    const last = lastLoop(place);
    return last === null ? reply(NO_LOOP) : cancelledBefore(readLoop(last), last, typing);
  }
  return underLoopLockAtOnce(folder, () => {
    const { journal, records, state } = openLoop(folder, maskFor(process.env));
    try {
      if (isOver(state)) {
        settle(place, folder, state, records[0]?.at ?? state.at);
        return cancelledBefore(state, folder, typing);
      }
      const result = { kind: 'ended', ending: { kind: 'stopped', reason: 'cancelled' } } as const;
      const record = nextRecord(state, { key: 'end', result, at: Date.now() });
      journal.append(record);
      journal.syncNow();
      const after = sessionMachine.apply(state, record);
      settle(place, folder, after, records[0]?.at ?? record.at);
      note(folder, after, 'CANCELLED');
      return reply(`${cancelled(after)}\n${closingText(after, folder, typing)}`);
    } finally {
      journal.close();
    }
  });
}

/** The other copy of this hook may have been faster. */
function cancelledBefore(state: LoopState<SessionData>, folder: string, typing: Typing): SessionAnswer {
  const isHere = statusOfSession(state) === 'CANCELLED' && isJustNow(state.at);
  return reply(isHere ? `${cancelled(state)}\n${closingText(state, folder, typing)}` : NO_LOOP);
}

function status(host: SessionHost, place: SessionPlace): SessionAnswer {
  const folder = activeLoop(place) ?? lastLoop(place);
  if (folder === null) return reply(NO_LOOP);
  const [log, state, typing] = [logPath(folder), readLoop(folder), host.typing(process.env)];
  const closing = statusOfSession(state) === 'ACTIVE' ? null : closingText(state, folder, typing);
  return reply(statusReport(state, typing, { log, lastLines: lastLines(log), closing, now: Date.now() }));
}

function reply(message: string): SessionAnswer {
  return { kind: 'reply', message, refused: false };
}
