/** One call of the hook: the agent that made it, what happened there, and the texts that all answers share. */

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

/** Repeats the rules of the loop, for an agent that may have lost them. */
export function repeatContract(call: Call, folder: string, state: State): SessionAnswer {
  const { request } = state.data;
  const context = contractFor(request, textLimitsFor(call, folder, request.task));
  return { kind: 'tell', context, notice: whereItStands(state, call.typing) };
}

/** The closing lines of a loop, as shown in its session. */
export function closingText({ typing }: Call, state: State, folder: string): string {
  const closing = sessionClosing(state, {
    work: workStateIn(state.data.last?.worktree ?? state.cwd),
    folder,
    // The lines above already say how to resume a waiting loop.
    resume: null,
    again: (request) => commandAgain(typing.slash, request),
  });
  return closingLines(closing).map(visible).join('\n');
}

/** Start times are in hundredths of a second, rounded down. */
const TICK_MS = 10;

/** Not `performance`, which loads a module: 2 ms per call. */
export function runningFor(): Duration {
  return process.uptime() * 1000;
}

export function bootMoment(): BootMoment {
  return { boot: thisMachine().boot, ms: Math.floor(linuxUptime() ?? Number(process.hrtime.bigint() / 1_000_000n)) };
}

/** Linux reports when it was forked, as the shell that became node. A doubt, within one tick, counts as no. */
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
    // Another system, whose monotonic clock also counts from boot.
    return null;
  }
}
