/** Reads a bus without its lock: whole entries only, whatever is being written behind them. */
import { closeSync, constants, openSync, readSync } from 'node:fs';
import { MOST_BODY_BYTES } from './entry.ts';
import { cannotRead, sizeOf } from './fault.ts';
import type { Message } from './message.ts';
import { countLines, findOpening, type Parsed, parseEntries, type Region } from './parse.ts';

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

export interface LastEntry {
  readonly msgId: string | undefined;
  /** Something stands at the end that is not whole: its writer was killed, or did not end its line. */
  readonly isTorn: boolean;
}

const CHUNK_BYTES = 1024 * 1024;
const TAIL_BYTES = 16 * 1024;
/** Small buffers come from Node's pool. */
const LAST_ENTRY_BYTES = 2 * 1024;
/** Beyond the largest entry there is nothing to find: this is another program's file. */
const LAST_LOOK = 2 * MOST_BODY_BYTES;

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

/** The last `count` messages, or the last of a kind; reads no more of the file than they need. */
export function readTail(path: string, count: number, isWanted: (message: Message) => boolean = () => true): BusRead {
  return reading(path, (fd, size) => {
    for (let look = TAIL_BYTES; ; look *= 4) {
      const tail = parseTail(fd, size, look, 'first');
      if (tail === null) continue;
      const messages = tail.messages.filter(isWanted);
      if (messages.length >= count || look >= size) {
        return { messages: count > 0 ? messages.slice(-count) : [], end: tail.start + tail.end };
      }
    }
  });
}

/** How the last message of an open bus is called, and whether it is whole, whatever the file's size. */
export function lastEntry(fd: number, size: number): LastEntry {
  for (let look = LAST_ENTRY_BYTES; ; look *= 8) {
    const tail = parseTail(fd, size, look, 'last');
    if (tail !== null) return { msgId: tail.messages.at(-1)?.msgId, isTorn: tail.end < tail.bytes };
    if (look >= LAST_LOOK) return { msgId: undefined, isTorn: readAt(fd, size - 1, 1)[0] !== 0x0a };
  }
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

/** Without waiting: there may be a pipe. */
export function openForReading(path: string): number {
  return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
}

function reading(path: string, read: (fd: number, size: number) => BusRead): BusRead {
  let fd: number | null = null;
  try {
    fd = openForReading(path);
    return read(fd, sizeOf(fd, path));
  } catch (error) {
    throw cannotRead(path, error);
  } finally {
    if (fd !== null) closeSync(fd);
  }
}

/** The end of a bus from the first or the last opening in `look` bytes on; null where they hold none. */
function parseTail(
  fd: number,
  size: number,
  look: number,
  which: 'first' | 'last',
): (Parsed & { readonly start: number; readonly bytes: number }) | null {
  const from = Math.max(0, size - look);
  // One byte more than there is: more was written meanwhile, and the next read sees the rest of it.
  const { bytes, linesBefore } = regionAt(fd, from, size - from + 1);
  const opening = findOpening(bytes, which, from === 0);
  if (opening < 0) return null;
  const rest = bytes.subarray(opening);
  const lines = (): number => linesBefore() + countLines(bytes.subarray(0, opening));
  // The number of an old line matters only to those who read it.
  const region = { bytes: rest, isLast: true, linesBefore: which === 'first' ? lines : () => 0 };
  return { ...parseEntries(region), start: from + opening, bytes: rest.length };
}

/** From `start` on, as much as was asked for or as there is. */
function regionAt(fd: number, start: number, length: number): Region {
  const bytes = readAt(fd, start, length);
  return { bytes, isLast: bytes.length < length, linesBefore: () => linesUpTo(fd, start) };
}

function readAt(fd: number, start: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  let total = 0;
  while (total < length) {
    const bytes = readSync(fd, buffer, total, length - total, start + total);
    if (bytes === 0) break;
    total += bytes;
  }
  return buffer.subarray(0, total);
}

function linesUpTo(fd: number, end: number): number {
  let lines = 0;
  for (let at = 0; at < end; at += CHUNK_BYTES) lines += countLines(readAt(fd, at, Math.min(CHUNK_BYTES, end - at)));
  return lines;
}

function indexOfId(messages: readonly Message[], id: string | undefined): number {
  return id === undefined ? -1 : messages.findLastIndex(({ msgId }) => msgId === id);
}
