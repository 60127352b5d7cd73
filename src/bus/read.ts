/**
 * Reads the whole entries of a bus, without its lock. Our entries state their length, and have no lines of bare dashes
 * except the two of the header: what is torn, forged or still being written is detected. Entries of other programs end
 * where the next one opens.
 */
import { constants, fstatSync, openSync, readSync } from 'node:fs';
import { errnoOf, RalphError } from '../core/error.ts';
import { reasonOf } from '../core/system-fault.ts';
import { closing } from '../process/files.ts';
import type { Message } from './message.ts';
import { legacyMessage, MOST_BODY_BYTES, MOST_HEADER_BYTES, parseHeader, unescapeBody } from './message.ts';

export interface BusRead {
  readonly messages: readonly Message[];
  /** The offset in bytes after the last whole entry, where a later read or a follower continues. */
  readonly end: number;
}

interface Region {
  readonly bytes: Buffer;
  /** Whether the file ends where the bytes end. */
  readonly isLast: boolean;
  /** How many lines of the file precede the bytes; called only if an old line needs its number. */
  linesBefore(): number;
}

type Header = NonNullable<ReturnType<typeof parseHeader>>;
/** A line of dashes. */
type Fence = NonNullable<ReturnType<typeof findFence>>;

/** Includes a bus whose folder is missing. */
export const MISSING = ['ENOENT', 'ENOTDIR'];
const CHUNK_BYTES = 1024 * 1024;
const TAIL_BYTES = 16 * 1024;
/** Small enough for Node to take the buffer from its pool. */
const LAST_ENTRY_BYTES = 2 * 1024;
/** Nothing can be found beyond the largest entry: this is another program's file. */
const LAST_LOOK = 2 * MOST_BODY_BYTES;
const LF = 0x0a;
const LINE_OF_DASHES = Buffer.from('\n---');
const BLANK = new Set([0x20, 0x09, 0x0d]);
const FIRST_KEY = 'msg_id:';
/** How entries open, ours and the original's. A header never ends like this, since an empty line comes first. */
const OPENING = Buffer.from('\n\n---\nmsg_id: MSG-');

interface Wanted {
  readonly from?: number;
  readonly after?: string;
  /** Only messages of these types. If no such word is in the file, nothing is parsed, and `end` is the file's end. */
  readonly types?: readonly string[];
}

/**
 * Reads from an offset that an earlier read returned, or after the message `after`; if that is missing, all of them.
 */
export function readMessages(path: string, { from = 0, after, types }: Wanted = {}): BusRead {
  return reading(path, (fd, size) => {
    const region = regionAt(fd, from, Math.max(0, size - from));
    if (types?.some((type) => region.bytes.includes(type)) === false) return { messages: [], end: size };
    const { messages: all, end } = parseEntries({ ...region, isLast: true });
    const messages = types === undefined ? all : all.filter(({ type }) => types.includes(type));
    const known = after === undefined ? -1 : messages.findLastIndex(({ msgId }) => msgId === after);
    return { messages: messages.slice(known + 1), end: from + end };
  });
}

/** The last `count` messages that are wanted; reads no more of the file than that takes. */
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

/** The id of the last message, whatever the file's size; `isTorn` if the file does not end with a whole entry. */
export function lastEntry(fd: number, size: number): { readonly msgId: string | undefined; readonly isTorn: boolean } {
  for (let look = LAST_ENTRY_BYTES; ; look *= 8) {
    const tail = parseTail(fd, size, look, 'last');
    if (tail !== null) return { msgId: tail.messages.at(-1)?.msgId, isTorn: tail.end < tail.bytes };
    if (look >= LAST_LOOK) return { msgId: undefined, isTorn: readAt(fd, size - 1, 1)[0] !== 0x0a };
  }
}

/** The next messages from an offset; `isLast` if there are no more for now. */
export function readChunk(fd: number, from: number): BusRead & { readonly isLast: boolean } {
  for (let length = CHUNK_BYTES; ; length *= 2) {
    const region = regionAt(fd, from, length);
    const { messages, end } = parseEntries(region);
    // An entry that is longer than the chunk needs a longer one.
    if (end > 0 || region.isLast) return { messages, end: from + end, isLast: region.isLast };
  }
}

/** Without blocking: it may be a pipe. */
export function openForReading(path: string): number {
  return openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
}

function reading(path: string, read: (fd: number, size: number) => BusRead): BusRead {
  return explained(path, () => closing(openForReading(path), (fd) => read(fd, sizeOf(fd, path))));
}

export function explained<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    const code = systemCode(error);
    if (code === null) throw error;
    const isMissing = MISSING.includes(code);
    const reason = isMissing ? 'there is none' : reasonOf(error);
    throw new RalphError(isMissing ? 'BUS_MISSING' : 'BUS_READ', `cannot read message bus ${path}: ${reason}`);
  }
}

/** Null for anything but a system error: that is a bug, or already has a message. */
export function systemCode(error: unknown): string | null {
  const code = errnoOf(error) ?? '';
  return /^E[A-Z0-9]+$/.test(code) ? code : null;
}

/** The size of an open bus. Throws for a pipe, a device or a folder. */
export function sizeOf(fd: number, path: string): number {
  const stat = fstatSync(fd);
  if (!stat.isFile()) throw new RalphError('BUS', `message bus ${path} is not a file`);
  return stat.size;
}

/** Parses the end of a bus, from the first or the last opening within the last `look` bytes; null if there is none. */
function parseTail(fd: number, size: number, look: number, which: 'first' | 'last') {
  const from = Math.max(0, size - look);
  // One byte more than there is: if more is being written, the next read gets the rest of it.
  const region = regionAt(fd, from, size - from + 1);
  const found = which === 'first' ? region.bytes.indexOf(OPENING) : region.bytes.lastIndexOf(OPENING);
  if (found < 0 && from > 0) return null;
  const opening = found < 0 || (which === 'first' && from === 0) ? 0 : found + '\n\n'.length;
  const bytes = region.bytes.subarray(opening);
  const linesBefore = (): number => region.linesBefore() + countLines(region.bytes.subarray(0, opening));
  return { ...parseEntries({ bytes, isLast: true, linesBefore }), start: from + opening, bytes: bytes.length };
}

/** From `start` on, as many bytes as were asked for or exist. */
function regionAt(fd: number, start: number, length: number): Region {
  const bytes = readAt(fd, start, length);
  const linesBefore = (): number => {
    let lines = 0;
    for (let at = 0; at < start; at += CHUNK_BYTES)
      lines += countLines(readAt(fd, at, Math.min(CHUNK_BYTES, start - at)));
    return lines;
  };
  return { bytes, isLast: bytes.length < length, linesBefore };
}

function readAt(fd: number, start: number, length: number): Buffer {
  const buffer = Buffer.allocUnsafe(length);
  let total = 0;
  for (let bytes = 1; bytes > 0 && total < length; total += bytes) {
    bytes = readSync(fd, buffer, total, length - total, start + total);
  }
  return buffer.subarray(0, total);
}

/** Begins at the start of a line, outside any entry. What follows `end` may still grow into an entry. */
export function parseEntries(region: Region): BusRead {
  const { bytes } = region;
  const messages: Message[] = [];
  const addLegacy = legacyReader(region, messages);
  for (let at = 0; ; ) {
    const fence = findFence(bytes, at);
    const textEnd = fence?.start ?? Math.max(at, bytes.lastIndexOf(LF) + 1);
    addLegacy(at, textEnd);
    if (fence === null) return { messages, end: textEnd };
    const found = entryAt(region, fence);
    if (found === null) return { messages, end: fence.start };
    if (found.message !== null) messages.push(found.message);
    at = found.next;
  }
}

/** Where to continue, and the message, unless it is torn or only looks like one. Null while it may become an entry. */
function entryAt({ bytes, isLast }: Region, opening: Fence) {
  const text = { message: null, next: opening.end };
  const closing = findFence(bytes, opening.end);
  if (closing === null) {
    const mayBecomeHeader = /^[A-Za-z_]*(?:$|:)/.test(bytes.toString('latin1', opening.end, opening.end + 64));
    return mayBecomeHeader && bytes.length - opening.end <= MOST_HEADER_BYTES ? null : text;
  }
  const header = headerBetween(bytes, opening, closing);
  if (header === null) return text;
  if (header.bodyBytes !== null) return ownEntry(bytes, header.message, closing.end, header.bodyBytes);

  const following = nextOpening(bytes, closing.end, isLast);
  const next = following ?? bytes.length;
  if (following === null && (!isLast || bytes[next - 1] !== LF)) return null;
  const body = bytes.toString('utf8', closing.end, next).replace(/(?:\r?\n)+$/, '');
  return { message: { ...header.message, body }, next };
}

function ownEntry(bytes: Buffer, header: Header['message'], start: number, length: number) {
  const end = start + length;
  const fence = findFence(bytes, start);
  if (bytes[end] === LF && (fence === null || fence.start > end)) {
    return { message: { ...header, body: unescapeBody(bytes.toString('utf8', start, end)) }, next: end + 1 };
  }
  // Torn: the next line of dashes belongs to another writer.
  return fence === null ? null : { message: null, next: fence.start };
}

/** Where the entry after another program's body opens. At the file's end, one that has only begun counts, too. */
function nextOpening(bytes: Buffer, from: number, isLast: boolean): number | null {
  for (let at = from; ; ) {
    const fence = findFence(bytes, at);
    if (fence === null) return null;
    const closing = findFence(bytes, fence.end);
    if (closing === null) {
      const rest = bytes.toString('latin1', fence.end, fence.end + FIRST_KEY.length);
      return isLast && bytes[fence.start - 2] === LF && FIRST_KEY.startsWith(rest) ? fence.start : null;
    }
    if (headerBetween(bytes, fence, closing) !== null) return fence.start;
    at = fence.end;
  }
}

function headerBetween(bytes: Buffer, opening: Fence, closing: Fence): Header | null {
  if (closing.start - opening.end > MOST_HEADER_BYTES) return null;
  return parseHeader(bytes.toString('utf8', opening.end, closing.start).replaceAll('\r\n', '\n'));
}

/** `from` must be the beginning of a line. */
function findFence(bytes: Buffer, from: number) {
  for (let at = from; ; ) {
    let end = at + 3;
    if (bytes.compare(LINE_OF_DASHES, 1, 4, at, Math.min(end, bytes.length)) === 0) {
      while (BLANK.has(bytes[end] ?? LF)) end++;
      if (bytes[end] === LF) return { start: at, end: end + 1 };
    }
    const next = bytes.indexOf(LINE_OF_DASHES, at);
    if (next < 0) return null;
    at = next + 1;
  }
}

/** Old lines are numbered from the file's first line; the count continues from one to the next. */
function legacyReader({ bytes, linesBefore }: Region, messages: Message[]) {
  let counted: { at: number; lines: number } | null = null;
  return (start: number, end: number): void => {
    for (let at = start; at < end; ) {
      const next = bytes.indexOf(LF, at) + 1;
      // Old lines begin with `[`: most lines need no decoding.
      const message = bytes[at] === 0x5b ? legacyMessage(bytes.toString('utf8', at, next - 1)) : null;
      if (message !== null) {
        counted ??= { at: 0, lines: linesBefore() };
        counted = { at, lines: counted.lines + countLines(bytes.subarray(counted.at, at)) };
        messages.push({ ...message, msgId: `LEGACY-LINE-${counted.lines + 1}` });
      }
      at = next;
    }
  };
}

function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) lines++;
  return lines;
}
