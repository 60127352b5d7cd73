/**
 * The journal: one line of JSON per record, one unbuffered write each, so that `kill -9` loses none. A torn last line
 * is cut off and kept in a file of its own.
 */
import { closeSync, fdatasync, fstatSync, fsyncSync, openSync, truncateSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { RalphError } from '../core/error.ts';
import { RECORD_VERSION, type Recorded, upcast } from '../core/record.ts';
import { named, naming } from '../core/system-fault.ts';
import { parsedJson } from '../core/text/json.ts';
import { type Mask, maskData } from '../core/text/mask.ts';
import { bytesAt, contentOf, openPlain, writeFile } from '../process/files.ts';
import { syncToDisk } from './folders.ts';

export type Journal = ReturnType<typeof journalOn>;

const LF = 0x0a;

export function createJournal(path: string, first: Recorded, mask: Mask): Journal {
  const fd = openSync(path, 'ax', 0o600);
  const journal = journalOn(fd, path, mask);
  try {
    journal.append(first);
    journal.syncNow();
    // Its entry in the folder as well; later records only make the file longer.
    syncToDisk(dirname(path));
    return journal;
  } catch (error) {
    journal.close();
    throw error;
  }
}

/** `take` gets every record, in order. */
export function openJournal(path: string, mask: Mask, take: TakeRecord): Journal {
  const { wholeBytes, torn } = eachRecord(path, take);
  if (torn !== null) {
    writeFile(`${path}.torn-${wholeBytes}`, torn, { mode: 0o600 });
    truncateSync(path, wholeBytes);
  }
  return journalOn(openSync(path, 'a'), path, mask);
}

/** Reads without changing the file. `torn`: what follows the last whole record. A loop without records never began. */
export function readJournal(path: string): ReturnType<typeof parseJournal> {
  return parseJournal(contentOf(openPlain(path), path, Number.POSITIVE_INFINITY), path);
}

/** The same for long journals: passes on the records one by one and keeps none. */
export function eachRecord(path: string, take: TakeRecord): ReturnType<typeof parseRecords> {
  return parseRecords(contentOf(openPlain(path), path, Number.POSITIVE_INFINITY), path, take);
}

export type TakeRecord = (record: Recorded) => void;

/** Reads only the first and last record, so that long loops are listed as fast as short ones. Null if there is none. */
export function readJournalEnds(path: string): { readonly first: Recorded; readonly last: Recorded } | null {
  const fd = openPlain(path);
  try {
    const { size } = fstatSync(fd);
    for (let length = Math.min(ENDS_CHUNK, size); ; length = Math.min(length * 8, size)) {
      const beginning = wholeLines(bytesAt(fd, path, 0, length), true);
      const end = length === size ? beginning : wholeLines(bytesAt(fd, path, size - length, length), false);
      const first = firstRecord(beginning);
      const last = lastRecord(end, length === size);
      if (first !== null && last !== null) return { first: readable(first, path), last: readable(last, path) };
      if (length === size) break;
    }
    // There is no record, or it is not a journal, for which this throws.
    parseJournal(bytesAt(fd, path, 0, size), path);
    return null;
  } finally {
    closeSync(fd);
  }
}

/** The whole records from a byte on, where one begins, and the byte after them. For readers that follow a journal. */
export function readJournalFrom(path: string, from: number): { readonly records: Recorded[]; readonly next: number } {
  const fd = openPlain(path);
  try {
    const bytes = bytesAt(fd, path, from, Math.max(0, fstatSync(fd).size - from));
    const length = bytes.lastIndexOf(LF) + 1;
    const records = wholeLines(bytes.subarray(0, length), true).flatMap((line) => parseRecord(line, null) ?? []);
    return { records: records.map((record) => readable(record, path)), next: from + length };
  } finally {
    closeSync(fd);
  }
}

/** Usually enough for the first record, which holds the request, and for the last one. */
const ENDS_CHUNK = 16 * 1024;

/** A part of a journal can begin and end in the middle of a line. */
function wholeLines(bytes: Buffer, isBeginning: boolean): string[] {
  return bytes
    .toString('utf8')
    .split('\n')
    .slice(isBeginning ? 0 : 1, -1);
}

/** Parses no further lines: the ends of every journal are read at each start. */
function firstRecord(lines: readonly string[]): Recorded | null {
  for (const [index, line] of lines.entries()) {
    const record = parseRecord(line, index);
    if (record !== null) return record;
  }
  return null;
}

function lastRecord(lines: readonly string[], isBeginning: boolean): Recorded | null {
  for (let index = lines.length - 1; index >= 0; index--) {
    const record = parseRecord(lines[index] ?? '', isBeginning ? index : null);
    if (record !== null) return record;
  }
  return null;
}

function readable(record: Recorded, path: string): Recorded {
  if (record.v <= RECORD_VERSION) return upcast(record);
  const formats = `format ${record.v}, this one reads up to ${RECORD_VERSION}`;
  throw new RalphError('JOURNAL_NEWER', `cannot read ${path}: a newer release of ralph wrote it (${formats})`, {
    hint: 'Update ralph, or start a new loop.',
  });
}

export function parseJournal(bytes: Buffer, path: string) {
  const records: Recorded[] = [];
  return { ...parseRecords(bytes, path, (record) => void records.push(record)), records };
}

function parseRecords(bytes: Buffer, path: string, take: TakeRecord) {
  let count = 0;
  let wholeBytes = 0;
  for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, wholeBytes)) {
    const record = parseRecord(bytes.toString('utf8', wholeBytes, end), count);
    if (record === null) {
      // The first line is written before anything else: if it is not a record, another program wrote the file.
      if (count === 0) throw damaged(path, 1);
      if (holdsRecordAfter(bytes, end + 1)) throw damaged(path, count + 1);
      break;
    }
    take(readable(record, path));
    count++;
    wholeBytes = end + 1;
  }
  return { wholeBytes, torn: wholeBytes === bytes.length ? null : bytes.subarray(wholeBytes) };
}

function journalOn(fd: number, path: string, mask: Mask) {
  const syncData = promisify(fdatasync);
  let bytes = fstatSync(fd).size;
  return {
    append(record: Recorded): Buffer {
      const line = Buffer.from(`${recordLine(record, mask)}\n`);
      naming(path, () => {
        // A full disk takes what still fits. The next write throws the reason; the partial line is cut off on opening.
        for (let written = 0; written < line.length; ) written += writeSync(fd, line, written);
      });
      bytes += line.length;
      return line;
    },
    /** The length of the file. */
    bytes: () => bytes,
    mask,
    /** Starts to sync what was appended; resolves when it is on disk. */
    sync: (): Promise<void> =>
      syncData(fd).catch((error: unknown) => {
        throw named(error, path);
      }),
    /** The same, synchronously. */
    syncNow: (): void => naming(path, () => fsyncSync(fd)),
    close: (): void => closeSync(fd),
  };
}

/** The line for the journal: what looks like a key is masked. */
export function recordLine(record: Recorded, mask: Mask): string {
  const line = JSON.stringify(record);
  // Fast path: without escapes, the line contains every string unchanged, so it is enough to mask the line as a whole.
  if (!line.includes('\\') && mask(line) === line) return line;
  const result = maskData(record.result, mask);
  const masked = JSON.stringify({ ...record, result, masked: true } satisfies Recorded);
  return JSON.stringify({ ...record, result }) === line ? line : masked;
}

/** `seq` is the number that it must have; null for any. */
function parseRecord(line: string, seq: number | null): Recorded | null {
  // What is not JSON is torn or damaged; the caller finds out which.
  const record = (parsedJson(line) ?? {}) as Partial<Recorded>;
  const isNumbered = seq === null ? Number.isInteger(record.seq) : record.seq === seq;
  const isWhole = isNumbered && typeof record.v === 'number' && typeof record.result?.kind === 'string';
  return isWhole ? (record as Recorded) : null;
}

/** A torn write is always last. A whole record after a bad line means that the file was damaged in the middle. */
function holdsRecordAfter(bytes: Buffer, from: number): boolean {
  const lines = bytes.toString('utf8', from).split('\n');
  return lines.some((line) => line.startsWith('{"v":') && line.endsWith('}'));
}

function damaged(path: string, line: number): RalphError {
  const hint = 'It was not cut off by a crash but changed. Restore it from a copy, or start a new loop.';
  return new RalphError('JOURNAL_DAMAGED', `${path} is damaged at line ${line}`, { hint });
}
