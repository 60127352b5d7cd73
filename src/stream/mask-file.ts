/** Hides keys in a file that another program wrote, in bounded memory. A file without any is left as it is. */
import { closeSync, openSync, readSync, renameSync, rmSync, writeSync } from 'node:fs';
import type { Mask } from '../core/mask.ts';

const BLOCK_BYTES = 4 * 1024 * 1024;

export function maskFile(path: string, mask: Mask): void {
  let isClean = true;
  eachBlock(path, (text) => {
    isClean &&= mask(text) === text;
  });
  if (isClean) return;
  const masked = `${path}.masked`;
  const target = openSync(masked, 'w', 0o600);
  try {
    eachBlock(path, (text) => writeSync(target, mask(text), null, 'latin1'));
    renameSync(masked, path);
  } finally {
    closeSync(target);
    rmSync(masked, { force: true });
  }
}

/** Hands out the file in pieces that end with a line, byte for byte (latin1): keys are ASCII, the rest must stay as it is. */
function eachBlock(path: string, take: (text: string) => void): void {
  const buffer = Buffer.allocUnsafe(BLOCK_BYTES);
  const file = openSync(path, 'r');
  try {
    let rest = '';
    for (let bytes = readSync(file, buffer); bytes > 0; bytes = readSync(file, buffer)) {
      const text = rest + buffer.toString('latin1', 0, bytes);
      // A line longer than a block is cut: memory stays bounded whatever was written.
      const end = text.length > 2 * BLOCK_BYTES ? text.length : text.lastIndexOf('\n') + 1;
      take(text.slice(0, end));
      rest = text.slice(end);
    }
    take(rest);
  } finally {
    closeSync(file);
  }
}
