/** Reads what was added to a transcript since a mark, line by line. */
import { closeSync, fstatSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { openPlain } from '../../process/files.ts';
import { type JsonObject, parseObject } from '../reading/json-line.ts';
import type { Mark } from './host.ts';

const LF = 0x0a;

/** The mark after the last complete line; offset 0 if there is no transcript. */
export function endOf(transcript: string | null): Mark {
  return { transcript, offset: inFile(transcript, wholeBytes) ?? 0 };
}

/**
 * The new lines, parsed. Null if there is no transcript. A transcript that has become shorter was rewritten: none of
 * its lines are known to be new, so reading continues at its new end.
 */
export function newLines(
  transcript: string | null,
  mark: Mark,
): { readonly lines: readonly JsonObject[]; readonly mark: Mark } | null {
  return inFile(transcript, (file) => {
    const { size } = fstatSync(file);
    const isMoved = mark.transcript !== null && mark.transcript !== transcript;
    const from = isMoved ? offsetInMoved(file, transcript, mark) : mark.offset;
    const { lines, end } = size < from ? { lines: [], end: size } : linesBetween(file, from, size);
    return { lines, mark: { transcript, offset: end } };
  });
}

/** False if no line ends at the offset: then the mark was made in another file. */
export function isBehindLine(path: string, offset: number): boolean {
  return offset === 0 || (inFile(path, (file) => endsLine(file, offset)) ?? true);
}

/** Null if there is no file: a session may have no transcript. */
function inFile<T>(path: string | null, read: (file: number) => T): T | null {
  let file: number;
  try {
    if (path === null) return null;
    file = openPlain(path);
  } catch {
    return null;
  }
  try {
    return read(file);
  } finally {
    closeSync(file);
  }
}

/**
 * A session that moves to another folder takes its transcript along: lines that were read stay read. If it is not the
 * same file, none of its lines are known to be new.
 */
function offsetInMoved(file: number, transcript: string | null, { transcript: before, offset }: Mark): number {
  const isSame = basename(transcript ?? '') === basename(before ?? '') && (offset === 0 || endsLine(file, offset));
  return isSame ? offset : wholeBytes(file);
}

function endsLine(file: number, offset: number): boolean {
  const byte = Buffer.alloc(1);
  return readSync(file, byte, 0, 1, offset - 1) === 1 && byte[0] === LF;
}

function linesBetween(file: number, from: number, to: number): { lines: JsonObject[]; end: number } {
  const buffer = Buffer.alloc(to - from);
  const bytes = buffer.subarray(0, readSync(file, buffer, 0, buffer.length, from));
  const lines: JsonObject[] = [];
  let start = 0;
  for (let lf = bytes.indexOf(LF); lf >= 0; lf = bytes.indexOf(LF, start)) {
    // A line that is not JSON is skipped. The agent's last words also come with the event.
    const value = parseObject(bytes.toString('utf8', start, lf));
    if (value !== null) lines.push(value);
    start = lf + 1;
  }
  return { lines, end: from + start };
}

/** Up to the end of the last complete line: one after it may still be being written. */
function wholeBytes(file: number): number {
  const buffer = Buffer.allocUnsafe(64 * 1024);
  for (let to = fstatSync(file).size; to > 0; ) {
    const from = Math.max(to - buffer.length, 0);
    const bytes = readSync(file, buffer, 0, to - from, from);
    const lf = buffer.subarray(0, bytes).lastIndexOf(LF);
    if (lf >= 0) return from + lf + 1;
    to = from;
  }
  return 0;
}
