/** Reads a bus without its lock: whole entries only, whatever is being written behind them. */
import { closeSync, constants, openSync } from 'node:fs';
import { cannotRead, sizeOf } from './fault.ts';
import type { Message } from './message.ts';
import { countLines, findOpening, parseEntries } from './parse.ts';
import { regionAt } from './region.ts';

export interface BusRead {
  readonly messages: readonly Message[];
  /** The offset, in bytes, behind the last whole entry: there a later read or a follower goes on. */
  readonly end: number;
}

export interface ReadOptions {
  /** An offset that an earlier read gave. */
  readonly from?: number;
  /** Only what stands behind this message; everything, where it is not on this bus (any more). */
  readonly after?: string;
}

const CHUNK_BYTES = 1024 * 1024;
const TAIL_BYTES = 16 * 1024;

export function readMessages(path: string, { from = 0, after }: ReadOptions = {}): BusRead {
  return reading(path, (fd) => {
    const messages: Message[] = [];
    for (let at = from; ; ) {
      const chunk = readChunk(fd, at);
      for (const message of chunk.messages) messages.push(message);
      at = chunk.end;
      if (chunk.isLast) return { messages: messages.slice(1 + indexOfId(messages, after)), end: at };
    }
  });
}

/** The last `count` messages; reads no more of the file than they need. */
export function readTail(path: string, count: number): BusRead {
  return reading(path, (fd, size) => {
    for (let look = TAIL_BYTES; ; look *= 4) {
      const start = Math.max(0, size - look);
      const region = regionAt(fd, start, size - start + 1);
      const opening = findOpening(region.bytes, 'first', start === 0);
      if (opening < 0) continue;
      const bytes = region.bytes.subarray(opening);
      // More than was there a moment ago was written meanwhile; the next read sees the rest of it.
      const { messages, end } = parseEntries({
        bytes,
        isLast: true,
        linesBefore: () => region.linesBefore() + countLines(region.bytes.subarray(0, opening)),
      });
      if (messages.length >= count || start === 0) {
        return { messages: count > 0 ? messages.slice(-count) : [], end: start + opening + end };
      }
    }
  });
}

/** The next messages from an offset on; `isLast` when there are no more for now. */
export function readChunk(fd: number, from: number): BusRead & { readonly isLast: boolean } {
  for (let length = CHUNK_BYTES; ; length *= 2) {
    const region = regionAt(fd, from, length);
    const { messages, end } = parseEntries(region);
    // An entry that is longer than the chunk needs a longer one.
    if (end > 0 || region.isLast) return { messages, end: from + end, isLast: region.isLast };
  }
}

/** Without waiting: somebody may have put a pipe there. */
export function openForReading(path: string): number {
  return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
}

function reading(path: string, read: (fd: number, size: number) => BusRead): BusRead {
  let fd: number;
  try {
    fd = openForReading(path);
  } catch (error) {
    throw cannotRead(path, error);
  }
  try {
    return read(fd, sizeOf(fd, path));
  } catch (error) {
    throw cannotRead(path, error);
  } finally {
    closeSync(fd);
  }
}

function indexOfId(messages: readonly Message[], id: string | undefined): number {
  return id === undefined ? -1 : messages.findLastIndex(({ msgId }) => msgId === id);
}
