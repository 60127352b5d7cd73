/** Parts of an open bus as regions that can be parsed. */
import { readSync } from 'node:fs';
import { countLines, type Region } from './parse.ts';

const COUNT_BYTES = 1024 * 1024;

/** From `start` on, as much as was asked for or as there is. */
export function regionAt(fd: number, start: number, length: number): Region {
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
  for (let at = 0; at < end; at += COUNT_BYTES) lines += countLines(readAt(fd, at, Math.min(COUNT_BYTES, end - at)));
  return lines;
}
