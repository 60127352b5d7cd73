/** Splits bytes into lines of text. Adjacent lines are decoded together, which is twice as fast. */
import { isAscii, isUtf8, transcode } from 'node:buffer';
import { lineSplitter } from './lines.ts';

export interface TextSink {
  /** One line without its LF. */
  onLine(line: string): void;
  /** Sees one or more whole lines before they are decoded; returns true to skip all of them. */
  skip?(lines: Buffer): boolean;
  /** As for `lineSplitter`. */
  onLongLine?(head: Buffer): void;
}

const LF = 0x0a;
/** V8 stores longer strings separately, which makes each of them more expensive. */
const DECODED_AT_ONCE = 32 * 1024;

export function textSplitter(
  { onLine, skip, onLongLine }: TextSink,
  limit?: number,
): { push(chunk: Buffer): void; end(): void } {
  const take = (line: Buffer): void => {
    if (skip?.(line) !== true) onLine(decodeUtf8(line));
  };
  /** For lines that span several chunks. */
  const cut = lineSplitter({ onLine: take, ...(onLongLine === undefined ? {} : { onLongLine }) }, limit);
  const takeAll = (lines: Buffer): void => {
    if (skip?.(lines) === true) return;
    const text = decodeUtf8(lines);
    for (let start = 0; start < text.length; ) {
      const end = text.indexOf('\n', start);
      onLine(text.slice(start, end));
      start = end + 1;
    }
  };
  return {
    push(chunk) {
      const begin = chunk.indexOf(LF) + 1;
      const end = chunk.lastIndexOf(LF) + 1;
      cut.push(begin === 0 ? chunk : chunk.subarray(0, begin));
      for (let start = begin; start < end; ) {
        const stop = endOfLines(chunk, start, end);
        takeAll(chunk.subarray(start, stop));
        start = stop;
      }
      if (begin > 0) cut.push(chunk.subarray(end));
    },
    end: () => cut.end(),
  };
}

/** The end of the last whole line that still fits, or of the first line if that is longer. */
function endOfLines(chunk: Buffer, start: number, end: number): number {
  if (end - start <= DECODED_AT_ONCE) return end;
  const last = chunk.lastIndexOf(LF, start + DECODED_AT_ONCE - 1);
  return (last >= start ? last : chunk.indexOf(LF, start)) + 1;
}

/** Below this size, checking costs more than it saves. */
const SHORT = 1024;

/**
 * For non-ASCII text, `Buffer.toString` has a quarter of the speed of Node's checked conversion; for 42 MB of an
 * agent's stream, that is 0.1 s.
 */
export function decodeUtf8(bytes: Buffer): string {
  if (bytes.length < SHORT) return bytes.toString('utf8');
  if (isAscii(bytes)) return bytes.toString('latin1');
  // Invalid UTF-8 gets its replacement characters from the slow conversion.
  return isUtf8(bytes) ? transcode(bytes, 'utf8', 'ucs2').toString('ucs2') : bytes.toString('utf8');
}
