/** The interface through which everything else shows and steers loops, on this machine or in a fleet. */
import type { Told } from '../../core/prompt/told.ts';
import type { Recorded } from '../../core/record.ts';
import type { LoopStatus } from '../../state/registry.ts';
import type { Command, Wanted } from '../control.ts';

export interface LoopStore {
  /** Oldest first. A loop that cannot be read is included, so that it is shown and hides no other. */
  list(): Promise<StoredLoop[]>;
  /** The names of the loops' folders; nothing is read. Some may not be loops. */
  ids(): Promise<string[]>;
  /** Null if the loop is gone. */
  read(id: string): Promise<StoredLoop | null>;
  /**
   * Calls back when a loop may have changed (or, if `id` is null, when one may have come or gone), until the returned
   * function is called. It does not report that a supervisor has died.
   */
  watch(id: string | null, changed: () => void): () => void;
  /** The first record: which loop it is and what it was asked, with keys masked. Null if the loop is gone. */
  first(id: string): Promise<Recorded | null>;
  /** From a sequence number on. */
  records(id: string, from?: number): Promise<Recorded[]>;
  /** Each call returns the records since the last one, the first call all. Watches nothing: for callers that poll. */
  reader(id: string): () => Promise<readonly Recorded[]>;
  /** All records from a sequence number on, then new ones as they come, until the signal is aborted. */
  follow(id: string, from: number, signal: AbortSignal): AsyncIterable<Recorded>;
  /** What a run has printed (`path` is as in the loop's records): from a byte on, or the last so many bytes. */
  transcript(id: string, path: string, part: TranscriptPart): Promise<TranscriptBytes | null>;
  /** Appends to the loop's queue of commands. A command that is sent again with the same `as` is added only once. */
  send(id: string, command: Command, as?: string): Promise<void>;
}

export type StoredLoop = ReadableLoop | UnreadableLoop;

export interface ReadableLoop extends LoopStatus {
  /** What drives the loop; null if nothing does. */
  readonly supervisor: Supervisor | null;
  /** What a command asks for that the loop has not done yet; `run` for nothing. */
  readonly wanted: Wanted;
  /** Messages to its agent that no prompt has contained yet: the next one will. */
  readonly messages: readonly Told[];
}

export interface UnreadableLoop {
  readonly id: string;
  /** Why the loop cannot be read, in a sentence. */
  readonly problem: string;
}

/** `pid` is null on another machine or in another container, where we cannot see whether the process still runs. */
export interface Supervisor {
  readonly pid: number | null;
}

export type TranscriptPart = { readonly from: number } | { readonly last: number };

export interface TranscriptBytes {
  readonly bytes: Uint8Array;
  /** Where the next read continues. */
  readonly next: number;
  /** When the agent last printed something, in milliseconds. */
  readonly changedAt: number;
}

export function isReadable(loop: StoredLoop): loop is ReadableLoop {
  return !('problem' in loop);
}
