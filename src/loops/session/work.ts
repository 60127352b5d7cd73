/** What the agent has done since the loop began, as far as it tells whether a promise can be believed. */
import type { StopEvent, WorkSeen } from '../../agents/session/host.ts';
import { hostNamed } from '../../agents/session/hosts.ts';
import type { Duration } from '../../core/time.ts';

/** What a hook saw of one turn of the agent; part of the turn's record. */
export interface SeenInTurn extends Omit<WorkSeen, 'texts'>, Pick<StopEvent, 'isFresh' | 'background'> {
  /** Names the last words: the same name twice is the same reply twice. */
  readonly reply: string;
  /** The last words were not in the transcript yet, and will be found there at the next look: they are no news then. */
  readonly late: string | null;
  /** Nothing was done and nothing said: the agent's program may not even have asked its model. */
  readonly isSilent: boolean;
  /** How many blocks in a row the host takes; null for any number. */
  readonly cap: number | null;
  /** Where the checks of this turn's promise belong, if the agent has gone into another worktree of the repository. */
  readonly worktree?: string;
  /** How many tools have run since the loop began, as the hooks of the tools saw it; where the host does not tell. */
  readonly toolsRun?: number;
  /** When this was written, by the boot's clock: a hook that ran by then belongs to the same turn. */
  readonly recordedAt?: BootMoment;
}

/** A moment by a clock that is never set: milliseconds since the machine's boot. */
export interface BootMoment {
  readonly boot: string;
  readonly ms: Duration;
}

export interface Progress extends Pick<SeenInTurn, 'mark' | 'hasOutput'> {
  readonly last: SeenInTurn | null;
  readonly toolCalls: number;
  /** The host has told the calls of all turns so far, this one's included. */
  readonly countsTools: boolean;
  /** Calls of a turn were not told, and will not be: the host reads on behind it. */
  readonly missesCalls: boolean;
  /** Continuations in a row that brought no tool call, or the same reply as before. */
  readonly idleInARow: number;
  readonly silentInARow: number;
  /** As the host counts: blocks since the last tool call or word of a person, this turn's included. */
  readonly blocksInARow: number;
  readonly toolsRun: number;
  /** A person has had the loop go on, and the agent has not stopped since. */
  readonly isResumed: boolean;
  /** Background tasks that a stop was not counted for, by name. */
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

/** An agent that asks its model no more would go on so to the last iteration. One silent turn may be a mishap. */
const MOST_SILENT_TURNS = 2;

export function isGivenUp({ host, silentInARow }: Progress & { readonly host: string }): boolean {
  return hostNamed(host)?.fallsSilent !== undefined && silentInARow >= MOST_SILENT_TURNS;
}

export function progressAfter(before: Progress, seen: SeenInTurn, isContinuation: boolean): Progress {
  const { mark, toolCalls } = seen;
  const toolsRun = seen.toolsRun ?? before.toolsRun;
  // Without a single mark the hooks of the tools may not be there.
  const calls = toolCalls ?? (toolsRun > 0 ? toolsRun - before.toolsRun : null);
  const isIdle = calls === 0 || seen.reply === before.last?.reply;
  // A transcript that is not there yet is read from the same place later, and tells them then.
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

/** How many tool calls there were since the loop began; null when not all were counted. */
export function callsOf({ toolCalls, countsTools, toolsRun }: Progress): number | null {
  if (countsTools) return toolCalls;
  return toolsRun > 0 ? Math.max(toolCalls, toolsRun) : null;
}

/**
 * An agent that has just begun something in the background stops to wait for it. That is not counted, once for each task and
 * no more often than the loop has iterations: something that never ends, a server, must not keep the loop from its limit.
 */
export function newlyWaitedFor({ waitedFor }: Progress, { background = [] }: SeenInTurn, most: number): string[] {
  const fresh = background.map(({ id }) => id).filter((id) => !waitedFor.includes(id));
  return waitedFor.length + fresh.length > most ? [] : fresh;
}

/** Tool calls where they are counted; else output of a command; else only the tree can tell. */
export function workBehind(
  data: Progress & { readonly request: { readonly minToolCalls: number } },
): 'enough' | 'too-little' | 'unknown' {
  const calls = callsOf(data);
  if (Math.max(data.toolCalls, calls ?? 0) >= data.request.minToolCalls) return 'enough';
  if (calls !== null) return 'too-little';
  return data.hasOutput ? 'enough' : 'unknown';
}
