/** What the agent has done since the loop began: the evidence for deciding whether a promise can be believed. */
import type { StopEvent, WorkSeen } from '../../agents/session/host.ts';
import { hostNamed } from '../../agents/session/hosts.ts';
import type { Duration } from '../../core/time.ts';

/** What the Stop hook saw of one turn of the agent; part of the turn's record. */
export interface SeenInTurn extends Omit<WorkSeen, 'texts'>, Pick<StopEvent, 'isFresh' | 'background'> {
  /** Identifies the agent's last words: equal values mean that it repeated its reply. */
  readonly reply: string;
  /** Digest of the last words, if the transcript lacked them: the next turn must not count them again. */
  readonly late: string | null;
  /** The agent did and said nothing: its program may not even have called the model. */
  readonly isSilent: boolean;
  /** How many times in a row the host lets a hook block a stop; null for any number. */
  readonly cap: number | null;
  /** Where to run the checks of this turn's promise, if the agent works in another worktree of the repository. */
  readonly worktree?: string;
  /** How many tools have run since the loop began, as counted by the tool hooks; only if the host does not tell. */
  readonly toolsRun?: number;
  /** When this was recorded: a hook that was already running then belongs to the same turn. */
  readonly recordedAt?: BootMoment;
}

/** A moment on a clock that is never adjusted: milliseconds since the machine's boot. */
export interface BootMoment {
  readonly boot: string;
  readonly ms: Duration;
}

export interface Progress extends Pick<SeenInTurn, 'mark' | 'hasOutput'> {
  readonly last: SeenInTurn | null;
  readonly toolCalls: number;
  /** The host has reported the tool calls of all turns so far, including this one. */
  readonly countsTools: boolean;
  /** The tool calls of some turn are lost: the host did not report them, and the transcript is read from after it. */
  readonly missesCalls: boolean;
  /** Continuations in a row without a tool call, or with the same reply as before. */
  readonly idleInARow: number;
  readonly silentInARow: number;
  /** As the host counts: blocked stops since the last tool call or message from a person, including this turn's. */
  readonly blocksInARow: number;
  readonly toolsRun: number;
  /** A person has continued the loop, and the agent has not stopped since. */
  readonly isResumed: boolean;
  /** The ids of background tasks for which a stop was not counted. */
  readonly waitedFor: readonly string[];
}

export const NOTHING_YET: Omit<Progress, 'mark'> = {
  last: null,
  toolCalls: 0,
  countsTools: true,
  missesCalls: false,
  hasOutput: false,
  idleInARow: 0,
  silentInARow: 0,
  blocksInARow: 0,
  toolsRun: 0,
  isResumed: false,
  waitedFor: [],
};

/** An agent that no longer calls its model would stay silent to the last iteration. One silent turn may be a glitch. */
const MOST_SILENT_TURNS = 2;

export function isGivenUp({ host, silentInARow }: Progress & { readonly host: string }): boolean {
  return hostNamed(host)?.fallsSilent !== undefined && silentInARow >= MOST_SILENT_TURNS;
}

export function progressAfter(before: Progress, seen: SeenInTurn, isContinuation: boolean): Progress {
  const { mark, toolCalls } = seen;
  const toolsRun = seen.toolsRun ?? before.toolsRun;
  // If the tool hooks have counted nothing at all, they may not be installed.
  const calls = toolCalls ?? (toolsRun > 0 ? toolsRun - before.toolsRun : null);
  const isIdle = calls === 0 || seen.reply === before.last?.reply;
  // If the mark is the same, the transcript was not there yet: it is read from the same place later, with these calls.
  const isSameMark = mark.transcript === before.mark.transcript && mark.offset === before.mark.offset;
  const missesCalls = before.missesCalls || (toolCalls === null && !isSameMark);
  const startsAnew = seen.isFresh || calls === null || calls > 0;
  return {
    ...before,
    last: seen,
    mark,
    toolCalls: before.toolCalls + (toolCalls ?? 0),
    countsTools: toolCalls !== null && !missesCalls,
    missesCalls,
    hasOutput: before.hasOutput || seen.hasOutput,
    idleInARow: isContinuation && isIdle ? before.idleInARow + 1 : 0,
    silentInARow: seen.isSilent ? before.silentInARow + 1 : 0,
    blocksInARow: startsAnew ? 1 : before.blocksInARow + 1,
    toolsRun,
    isResumed: false,
  };
}

/** How many tool calls there were since the loop began; null if not all were counted. */
export function callsOf({ toolCalls, countsTools, toolsRun }: Progress): number | null {
  if (countsTools) return toolCalls;
  return toolsRun > 0 ? Math.max(toolCalls, toolsRun) : null;
}

/**
 * An agent that has just started something in the background stops to wait for it. Such a stop is not counted, but only
 * once for each task, and no more often than the loop has iterations: a server, which never ends, must not keep the
 * loop from reaching its limit.
 */
export function newlyWaitedFor({ waitedFor }: Progress, { background = [] }: SeenInTurn, most: number): string[] {
  const fresh = background.map(({ id }) => id).filter((id) => !waitedFor.includes(id));
  return waitedFor.length + fresh.length > most ? [] : fresh;
}

/** Judged by tool calls if they are counted, otherwise by a command's output; without any, only the tree can tell. */
export function workBehind(
  data: Progress & { readonly request: { readonly minToolCalls: number } },
): 'enough' | 'too-little' | 'unknown' {
  const calls = callsOf(data);
  if (Math.max(data.toolCalls, calls ?? 0) >= data.request.minToolCalls) return 'enough';
  if (calls !== null) return 'too-little';
  return data.hasOutput ? 'enough' : 'unknown';
}
