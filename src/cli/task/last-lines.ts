/** Finds where the last lines of a file begin, from its end: how much stands before them costs nothing. */
import { fstatSync, readSync } from 'node:fs';

const BLOCK_BYTES = 64 * 1024;
const LF = 0x0a;

/** Where to begin for the last lines of an open file; 0 stands for all of it. */
export function beginningOf(fd: number, tail: number): number {
  return tail > 0 ? offsetOfLastLines(fd, fstatSync(fd).size, tail) : 0;
}

/** A line that has no end yet counts as one. */
export function offsetOfLastLines(fd: number, size: number, count: number): number {
  if (count <= 0) return size;
  const buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  let ends = 0;
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - BLOCK_BYTES);
    const block = buffer.subarray(0, readSync(fd, buffer, 0, end - start, start));
    for (let at = block.lastIndexOf(LF); at >= 0; at = at === 0 ? -1 : block.lastIndexOf(LF, at - 1)) {
      // The file's last byte ends the last line; it does not begin another.
      if (start + at === size - 1) continue;
      if (++ends === count) return start + at + 1;
    }
    end = start;
  }
  return 0;
}
