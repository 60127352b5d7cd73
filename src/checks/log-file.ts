/** The log of a check's command: masks keys in it, hashes its content, and reads its first or last characters. */
import { isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, renameSync, rmSync } from 'node:fs';
import { partOfText } from '../core/check.ts';
import type { Mask } from '../core/text/mask.ts';
import { writeAll } from '../stream/write-all.ts';

const BLOCK_BYTES = 4 * 1024 * 1024;
const LF = 0x0a;

/**
 * Masks the file in bounded memory; a file without keys is not rewritten. Returns the SHA-256 of the result, to detect
 * later changes to the log; null if it is not a regular file.
 */
export async function maskFile(path: string, mask: Mask): Promise<string | null> {
  lstatSync(path);
  // Loaded only with the first check, because it takes 3 ms.
  const hash = (await import('node:crypto')).createHash('sha256');
  let isClean = true;
  const isPlain = eachBlock(path, (block) => {
    const shown = masked(block, mask);
    hash.update(shown);
    isClean &&= shown.equals(block);
  });
  if (!isPlain) return null;
  if (!isClean) replaceBy(path, mask);
  return hash.digest('hex');
}

function replaceBy(path: string, mask: Mask): void {
  const next = `${path}.masked`;
  rmSync(next, { force: true });
  const target = openSync(next, 'wx', 0o600);
  try {
    eachBlock(path, (block) => writeAll(target, masked(block, mask)));
    renameSync(next, path);
  } finally {
    closeSync(target);
    rmSync(next, { force: true });
  }
}

/** Null if it is no longer a regular file: the command may have replaced it by a pipe or a link. */
function openToRead(path: string): number | null {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return null;
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  return null;
}

/** Text that is not UTF-8 is treated byte by byte, so that everything but the keys stays as it was. */
function masked(block: Buffer, mask: Mask): Buffer {
  const encoding = isUtf8(block) ? 'utf8' : 'latin1';
  return Buffer.from(mask(block.toString(encoding)), encoding);
}

/** Passes on the file in pieces that end with a line. False if there is no file to read. */
function eachBlock(path: string, take: (block: Buffer) => void): boolean {
  const buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  const file = openToRead(path);
  if (file === null) return false;
  try {
    let rest: Buffer = Buffer.alloc(0);
    for (let bytes = readSync(file, buffer); bytes > 0; bytes = readSync(file, buffer)) {
      const block = Buffer.concat([rest, buffer.subarray(0, bytes)]);
      // A line that is longer than a block is cut, so that memory stays bounded.
      const end = block.length > 2 * BLOCK_BYTES ? block.length : block.lastIndexOf(LF) + 1;
      take(block.subarray(0, end));
      rest = block.subarray(end);
    }
    take(rest);
    return true;
  } finally {
    closeSync(file);
  }
}

/** The first or last characters of a file; no character is cut in two. */
export function partOf(path: string, chars: number, which: 'start' | 'end'): ReturnType<typeof partOfText> {
  const file = openToRead(path);
  if (file === null) return { output: '', truncated: false };
  try {
    const { size } = fstatSync(file);
    // Enough bytes for the characters, which take at most four each.
    const buffer = Buffer.alloc(Math.min(chars * 4 + 4, size));
    const read = readSync(file, buffer, 0, buffer.length, which === 'start' ? 0 : size - buffer.length);
    const bytes = buffer.subarray(0, read);
    const isWhole = read >= size;
    // The end may start in the middle of a character: skip its continuation bytes.
    const first = isWhole || which === 'start' ? 0 : bytes.findIndex((byte) => (byte & 0b1100_0000) !== 0b1000_0000);
    const isCutBehind = !isWhole && which === 'start';
    const text = new TextDecoder().decode(bytes.subarray(Math.max(first, 0)), { stream: isCutBehind });
    return partOfText(text, chars, which, isWhole);
  } finally {
    closeSync(file);
  }
}
