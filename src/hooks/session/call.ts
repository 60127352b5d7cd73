/** One call of the hook: the agent that made it, what happened there, and what is said about its loop in all answers. */

import { readFileSync } from 'node:fs';
import type { BlockCap, SessionAnswer, SessionEvent, SessionHost, Typing } from '../../agents/session/host.ts';
import { closingLines } from '../../core/closing/closing-summary.ts';
import type { Mask } from '../../core/text/mask.ts';
import type { Duration } from '../../core/time.ts';
import { contractFor, isLong, type TextLimits } from '../../loops/session/messages.ts';
import type { State } from '../../loops/session/rules.ts';
import { type SessionPlace, tellingIn } from '../../loops/session/store.ts';
import { commandAgain, sessionClosing, visible, whereItStands } from '../../loops/session/wording.ts';
import type { BootMoment } from '../../loops/session/work.ts';
import { thisMachine } from '../../process/identity/identity.ts';
import { ownPid, readRow } from '../../process/identity/identity-linux.ts';
import { workStateIn } from '../io/git.ts';

export interface Call<Event extends SessionEvent = SessionEvent> {
  readonly host: SessionHost;
  readonly event: Event;
  readonly place: SessionPlace;
  readonly typing: Typing;
  readonly cap: BlockCap | null;
  readonly mask: Mask;
}

export function textLimitsFor({ host, event }: Call, folder: string, task: string): TextLimits {
  return tellingIn(isLong(task, host) ? (host.readableFolder?.(event) ?? null) : null, host, folder, task);
}

/** The rules of the loop once more, for an agent that may have forgotten them. */
export function repeatContract(call: Call, folder: string, state: State): SessionAnswer {
  const { request } = state.data;
  const context = contractFor(request, textLimitsFor(call, folder, request.task));
  return { kind: 'tell', context, notice: whereItStands(state, call.typing) };
}

/** The last lines of a loop, as they are told in its session. */
export function closingText({ typing }: Call, state: State, folder: string): string {
  const closing = sessionClosing(state, {
    work: workStateIn(state.data.last?.worktree ?? state.cwd),
    folder,
    // How a loop that waits goes on is said above.
    resume: null,
    again: (request) => commandAgain(typing.slash, request),
  });
  return closingLines(closing).map(visible).join('\n');
}

/** Start times are told in hundredths of a second, cut off. */
const TICK_MS = 10;

/** `performance` would load a module for it, 2 ms of every call. */
export function runningFor(): Duration {
  return process.uptime() * 1000;
}

export function bootMoment(): BootMoment {
  return { boot: thisMachine().boot, ms: Math.floor(linuxUptime() ?? Number(process.hrtime.bigint() / 1_000_000n)) };
}

/** Linux tells when it was forked: the `sh` in front of node is the same process. What cannot be told is no. */
export function wasRunningAt(moment: BootMoment): boolean {
  if (moment.boot !== thisMachine().boot) return false;
  const forked = linuxUptime() === null ? null : readRow(ownPid())?.startTime;
  const began = forked == null ? bootMoment().ms - runningFor() : Number(forked) * TICK_MS + TICK_MS;
  return began <= moment.ms;
}

function linuxUptime(): Duration | null {
  try {
    return Number(readFileSync('/proc/uptime', 'latin1').split(' ', 1)[0]) * 1000;
  } catch {
    // Another system, whose steady clock counts from its boot as well.
    return null;
  }
}
