/** What shows or steers loops gets one of these and nothing else: loops on this machine, or those of a fleet. */
import type { Told } from '../../core/prompt/told.ts';
import type { Recorded } from '../../core/record.ts';
import type { LoopStatus } from '../../state/registry.ts';
import type { Command, Wanted } from '../control.ts';

export interface LoopStore {
  /** Oldest first. A loop that cannot be read is among them: it is shown, and hides no other. */
  list(): Promise<StoredLoop[]>;
  /** What their folders are called; nothing is read. Some may be no loops. */
  ids(): Promise<string[]>;
  /** One of them; null for a loop that is gone. */
  read(id: string): Promise<StoredLoop | null>;
  /**
   * Calls back when a loop may have changed, or where `id` is null, when one may have come or gone, until the returned
   * function is called. That its supervisor has died it does not tell.
   */
  watch(id: string | null, changed: () => void): () => void;
  /** Who it is and what it was asked, with keys hidden; null for a loop that is gone. */
  first(id: string): Promise<Recorded | null>;
  /** From a sequence number on. */
  records(id: string, from?: number): Promise<Recorded[]>;
  /** Each call gives what has come since the last one; the first one all. Watches nothing: for one who looks now and then. */
  reader(id: string): () => Promise<readonly Recorded[]>;
  /** All from a sequence number on, and then what comes, until the signal. */
  follow(id: string, from: number, signal: AbortSignal): AsyncIterable<Recorded>;
  /** What a run has printed, as the loop's records name it: from a byte on, or so many of the last bytes. */
  transcript(id: string, path: string, part: TranscriptPart): Promise<TranscriptBytes | null>;
  /** Appends to the loop's queue of commands. With an id of its own, a command that is sent again is in it once. */
  send(id: string, command: Command, as?: string): Promise<void>;
}

export type StoredLoop = ReadableLoop | UnreadableLoop;

export interface ReadableLoop extends LoopStatus {
  /** What turns the loop; null for nothing. */
  readonly supervisor: Supervisor | null;
  /** What a command asks of it and it has not done yet; `run` for nothing. */
  readonly wanted: Wanted;
  /** What people said to its agent that stands in no prompt yet: the next one has it. */
  readonly messages: readonly Told[];
}

export interface UnreadableLoop {
  readonly id: string;
  /** Why, in a sentence. */
  readonly problem: string;
}

/** `pid` is null on another machine or in another container, where it cannot be seen whether it still runs. */
export interface Supervisor {
  readonly pid: number | null;
}

export type TranscriptPart = { readonly from: number } | { readonly last: number };

export interface TranscriptBytes {
  readonly bytes: Uint8Array;
  /** The byte behind them. */
  readonly next: number;
  /** When the agent last printed something, in milliseconds. */
  readonly changedAt: number;
}

export function isReadable(loop: StoredLoop): loop is ReadableLoop {
  return !('problem' in loop);
}
