/**
 * Finds the messages in the bytes of a bus, also those of other programs. Our own entries tell their length, and none of
 * their lines is bare dashes but the two of the header; so what is torn, forged or still being written is found out.
 * Entries of others end where the next one opens.
 */
import { type Header, legacyMessage, MOST_HEADER_BYTES, parseHeader, unescapeBody } from './entry.ts';
import type { Message } from './message.ts';

export interface Parsed {
  readonly messages: Message[];
  /** Up to here everything is decided; behind it stands what may still grow into an entry. */
  readonly end: number;
}

export interface Region {
  readonly bytes: Buffer;
  /** Whether the file ends where the bytes end. */
  readonly isLast: boolean;
  /** How many lines of the file come before the bytes; asked for only where an old line needs its number. */
  linesBefore(): number;
}

/** A line of dashes. */
interface Fence {
  readonly start: number;
  readonly end: number;
}

type Found =
  | { readonly kind: 'entry'; readonly message: Message; readonly end: number }
  /** Text that only looks like the opening of an entry. */
  | { readonly kind: 'text' }
  /** An entry whose writer died; the next line of dashes is another writer's. */
  | { readonly kind: 'torn'; readonly next: number }
  | { readonly kind: 'undecided' };

const LF = 0x0a;
const LINE_OF_DASHES = Buffer.from('\n---');
const BLANK = new Set([0x20, 0x09, 0x0d]);
const FIRST_KEY = 'msg_id:';
/**
 * How each entry of ours opens, and each of the original. The empty line before it tells it from the end of a header,
 * whose body may look like another: so one can look for it from the middle of a file.
 */
const OPENING = Buffer.from('\n\n---\nmsg_id: MSG-');

/** The bytes must begin at the beginning of a line, outside of any entry. */
export function parseEntries(region: Region): Parsed {
  const { bytes } = region;
  const messages: Message[] = [];
  const addLegacy = legacyReader(region, messages);
  for (let at = 0; ; ) {
    const fence = findFence(bytes, at);
    const textEnd = fence?.start ?? Math.max(at, bytes.lastIndexOf(LF) + 1);
    addLegacy(at, textEnd);
    if (fence === null) return { messages, end: textEnd };
    const found = entryAt(region, fence);
    if (found.kind === 'undecided') return { messages, end: fence.start };
    if (found.kind === 'entry') messages.push(found.message);
    at = found.kind === 'entry' ? found.end : found.kind === 'torn' ? found.next : fence.end;
  }
}

/** Where the first or last entry opens that can be told from a body's text without what comes before; or -1. */
export function findOpening(bytes: Buffer, which: 'first' | 'last', isFileStart: boolean): number {
  if (which === 'first' && isFileStart) return 0;
  const at = which === 'first' ? bytes.indexOf(OPENING) : bytes.lastIndexOf(OPENING);
  if (at >= 0) return at + 2;
  return isFileStart ? 0 : -1;
}

function entryAt(region: Region, opening: Fence): Found {
  const { bytes, isLast } = region;
  const closing = findFence(bytes, opening.end);
  if (closing === null) return mayBecomeHeader(bytes, opening.end) ? { kind: 'undecided' } : { kind: 'text' };
  const header = headerBetween(bytes, opening, closing);
  if (header === null) return { kind: 'text' };
  if (header.bodyBytes !== null) return ownEntry(bytes, header.message, closing.end, header.bodyBytes);

  const next = nextOpening(bytes, closing.end, isLast);
  if (next === null && !isLast) return { kind: 'undecided' };
  const end = next ?? bytes.length;
  if (next === null && bytes[end - 1] !== LF) return { kind: 'undecided' };
  const body = bytes.toString('utf8', closing.end, end).replace(/(?:\r?\n)+$/, '');
  return { kind: 'entry', message: { ...header.message, body }, end };
}

function ownEntry(bytes: Buffer, header: Header['message'], start: number, length: number): Found {
  const end = start + length;
  const fence = findFence(bytes, start);
  const isWhole = bytes[end] === LF && (fence === null || fence.start > end);
  if (isWhole) {
    const message = { ...header, body: unescapeBody(bytes.toString('utf8', start, end)) };
    return { kind: 'entry', message, end: end + 1 };
  }
  return fence === null ? { kind: 'undecided' } : { kind: 'torn', next: fence.start };
}

/** Where the entry behind another program's body opens. At the file's end also one that is only begun. */
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

function mayBecomeHeader(bytes: Buffer, from: number): boolean {
  if (bytes.length - from > MOST_HEADER_BYTES) return false;
  return /^[A-Za-z_]*(?:$|:)/.test(bytes.toString('latin1', from, from + 64));
}

/** `from` is the beginning of a line. */
function findFence(bytes: Buffer, from: number): Fence | null {
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

/** Old lines count from the file's first; the count goes on from one to the next. */
function legacyReader({ bytes, linesBefore }: Region, messages: Message[]) {
  let counted: { at: number; lines: number } | null = null;
  return (start: number, end: number): void => {
    for (let at = start; at < end; ) {
      const next = bytes.indexOf(LF, at) + 1;
      // `[` opens one: most lines need no decoding.
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

export function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) lines++;
  return lines;
}
