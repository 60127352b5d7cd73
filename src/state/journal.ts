/** One JSON line per record, by one unbuffered write: `kill -9` loses none. A torn last line is cut off and kept aside. */
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
    // Its entry in the folder, too. Later records only make the file longer.
    syncToDisk(dirname(path));
    return journal;
  } catch (error) {
    journal.close();
    throw error;
  }
}

/** `take` gets every record in its order. */
export function openJournal(path: string, mask: Mask, take: TakeRecord): Journal {
  const { wholeBytes, torn } = eachRecord(path, take);
  if (torn !== null) {
    writeFile(`${path}.torn-${wholeBytes}`, torn, { mode: 0o600 });
    truncateSync(path, wholeBytes);
  }
  return journalOn(openSync(path, 'a'), path, mask);
}

/** Reads without touching. `torn` is what stands behind the last whole record; no record at all is a loop that never began. */
export function readJournal(path: string): ReturnType<typeof parseJournal> {
  return parseJournal(contentOf(openPlain(path), path, Number.POSITIVE_INFINITY), path);
}

/** The same for one that may be long: its records are handed over one by one, and none is kept. */
export function eachRecord(path: string, take: TakeRecord): ReturnType<typeof parseRecords> {
  return parseRecords(contentOf(openPlain(path), path, Number.POSITIVE_INFINITY), path, take);
}

export type TakeRecord = (record: Recorded) => void;

/** Not what lies between: a list of loops takes as long for long ones as for short ones. Null: nothing was recorded. */
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
    // No record, or nothing of ours, which this refuses.
    parseJournal(bytesAt(fd, path, 0, size), path);
    return null;
  } finally {
    closeSync(fd);
  }
}

/** The whole records from a byte on, at which one begins, and the byte behind them. For a reader that follows. */
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

/** As a rule the first record, which holds the request, and the last one fit. */
const ENDS_CHUNK = 16 * 1024;

/** A part of a journal may begin and end in the middle of a line. */
function wholeLines(bytes: Buffer, isBeginning: boolean): string[] {
  return bytes
    .toString('utf8')
    .split('\n')
    .slice(isBeginning ? 0 : 1, -1);
}

/** The others are not parsed: the ends of every journal are read at each start. */
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
      // The first line of a journal was written before anything else: if it is not ours, the file is another program's.
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
        // A disk takes what still fits. The next write says why the rest did not; the half line is cut off on opening.
        for (let written = 0; written < line.length; ) written += writeSync(fd, line, written);
      });
      bytes += line.length;
      return line;
    },
    /** How long it is. */
    bytes: () => bytes,
    mask,
    /** Begins to bring what was appended to the disk; resolves when it is there. */
    sync: (): Promise<void> =>
      syncData(fd).catch((error: unknown) => {
        throw named(error, path);
      }),
    /** The same, before it returns. */
    syncNow: (): void => naming(path, () => fsyncSync(fd)),
    close: (): void => closeSync(fd),
  };
}

/** As it stands in the journal: what looks like a key is hidden. */
export function recordLine(record: Recorded, mask: Mask): string {
  const line = JSON.stringify(record);
  // Where nothing is escaped the line shows every string as it is, and one look is enough.
  if (!line.includes('\\') && mask(line) === line) return line;
  const result = maskData(record.result, mask);
  const masked = JSON.stringify({ ...record, result, masked: true } satisfies Recorded);
  return JSON.stringify({ ...record, result }) === line ? line : masked;
}

/** `seq` is the number that it must have; null for any. */
function parseRecord(line: string, seq: number | null): Recorded | null {
  // What is not JSON is torn or damaged, which the caller tells apart.
  const record = (parsedJson(line) ?? {}) as Partial<Recorded>;
  const isNumbered = seq === null ? Number.isInteger(record.seq) : record.seq === seq;
  const isWhole = isNumbered && typeof record.v === 'number' && typeof record.result?.kind === 'string';
  return isWhole ? (record as Recorded) : null;
}

/** A torn write stands at the end. A whole record behind a bad line means that the file was damaged in its middle. */
function holdsRecordAfter(bytes: Buffer, from: number): boolean {
  const lines = bytes.toString('utf8', from).split('\n');
  return lines.some((line) => line.startsWith('{"v":') && line.endsWith('}'));
}

function damaged(path: string, line: number): RalphError {
  const hint = 'It was not cut off by a crash but changed. Restore it from a copy, or start a new loop.';
  return new RalphError('JOURNAL_DAMAGED', `${path} is damaged at line ${line}`, { hint });
}
