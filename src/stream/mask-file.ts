/** Hides keys in a file that another program wrote, in bounded memory. A file without any is left as it is. */
import { isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, lstatSync, openSync, readSync, renameSync, rmSync } from 'node:fs';
import type { Mask } from '../core/text/mask.ts';
import { writeAll } from './write-all.ts';

const BLOCK_BYTES = 4 * 1024 * 1024;
const LF = 0x0a;

export function maskFile(path: string, mask: Mask): void {
  lstatSync(path);
  let isClean = true;
  eachBlock(path, (block) => {
    isClean &&= masked(block, mask).equals(block);
  });
  if (isClean) return;
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

/** Null where no plain file lies there any more: what wrote it may have put a pipe or a link in its place. */
export function openToRead(path: string): number | null {
  if (lstatSync(path, { throwIfNoEntry: false })?.isFile() !== true) return null;
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  return null;
}

/** What is not text in UTF-8 is taken byte for byte, so that everything but the keys stays as it was. */
function masked(block: Buffer, mask: Mask): Buffer {
  const encoding = isUtf8(block) ? 'utf8' : 'latin1';
  return Buffer.from(mask(block.toString(encoding)), encoding);
}

/** Hands out the file in pieces that end with a line. */
function eachBlock(path: string, take: (block: Buffer) => void): void {
  const buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  const file = openToRead(path);
  if (file === null) return;
  try {
    let rest: Buffer = Buffer.alloc(0);
    for (let bytes = readSync(file, buffer); bytes > 0; bytes = readSync(file, buffer)) {
      const block = Buffer.concat([rest, buffer.subarray(0, bytes)]);
      // A line longer than a block is cut: memory stays bounded whatever was written.
      const end = block.length > 2 * BLOCK_BYTES ? block.length : block.lastIndexOf(LF) + 1;
      take(block.subarray(0, end));
      rest = block.subarray(end);
    }
    take(rest);
  } finally {
    closeSync(file);
  }
}
