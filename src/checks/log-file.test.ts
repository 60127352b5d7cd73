import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { maskFor } from '../core/text/mask.ts';
import { maskFile } from './log-file.ts';

const BLOCK = 4 * 1024 * 1024;
const KEY = `sk-${'k'.repeat(40)}`;
const mask = maskFor({});
/** Every byte value; mostly invalid UTF-8. */
const BYTES = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));

let folder: string;
let path: string;

beforeEach(() => {
  folder = testFolder();
  path = join(folder, 'a.log');
});

/** Joins the pieces with a key, or what masks it, in between. */
function joined(pieces: readonly Buffer[], between: string): Buffer {
  return Buffer.concat(pieces.flatMap((piece, index) => (index === 0 ? [piece] : [Buffer.from(between), piece])));
}

/** Compared here, so that a failure does not print all bytes. */
function fileHolds(bytes: Buffer): boolean {
  return readFileSync(path).equals(bytes);
}

/** Masks the file, and expects the digest of the result. */
async function expectNamed(): Promise<void> {
  const digest = await maskFile(path, mask);
  expect(digest).toBe(createHash('sha256').update(readFileSync(path)).digest('hex'));
}

describe('a file without a key', () => {
  test.each([
    ['text', Buffer.from('nothing\nto hide\n')],
    ['no text at all', BYTES],
    ['nothing', Buffer.alloc(0)],
    ['more than a block', Buffer.alloc(BLOCK + 1, 'all good\n')],
  ])('is not touched: %s', async (_what, bytes) => {
    writeFileSync(path, bytes, { mode: 0o644 });
    const before = statSync(path, { bigint: true });
    await expectNamed();
    const { ino, mode, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
    expect({ ino, mode, mtimeNs, ctimeNs }).toEqual({
      ino: before.ino,
      mode: before.mode,
      mtimeNs: before.mtimeNs,
      ctimeNs: before.ctimeNs,
    });
    expect(fileHolds(bytes)).toBe(true);
    expect(readdirSync(folder)).toEqual(['a.log']);
  });
});

describe('a file with keys', () => {
  test('has them hidden, and every other byte as it was', async () => {
    const pieces = [BYTES, Buffer.from(' ü€😀 '), Buffer.from([0xff, 0xfe, 0x0a, 0xc3, 0x28, 0x0a]), BYTES];
    writeFileSync(path, joined(pieces, ` ${KEY} `));
    await expectNamed();
    expect(fileHolds(joined(pieces, ' *** '))).toBe(true);
  });

  test('may have 10 MB: every key goes, also the one over the border of two blocks', async () => {
    const line = Buffer.concat([Buffer.from('a line of Größe '), BYTES.subarray(128), Buffer.from('\n')]);
    const filled = (bytes: number): Buffer => Buffer.alloc(bytes, line);
    const border = filled(BLOCK - 20);
    const pieces = [border, filled(BLOCK), filled(2 * 1024 * 1024), Buffer.from('\n')];
    const bytes = joined(pieces, `\n${KEY}\n`);
    expect(bytes.length).toBeGreaterThan(10 * 1024 * 1024);
    expect(bytes.indexOf(KEY)).toBeLessThan(BLOCK);
    expect(bytes.indexOf(KEY) + KEY.length).toBeGreaterThan(BLOCK);
    writeFileSync(path, bytes);
    await expectNamed();
    expect(fileHolds(joined(pieces, '\n***\n'))).toBe(true);
  });

  test('may have a line longer than any block, without an end', async () => {
    const pieces = [Buffer.from('a '), Buffer.alloc(3 * BLOCK, ' ä'), Buffer.from(' b')];
    writeFileSync(path, joined(pieces, KEY));
    await expectNamed();
    expect(fileHolds(joined(pieces, '***'))).toBe(true);
  });

  test('is replaced by one that only its owner may read, and nothing else is left', async () => {
    writeFileSync(path, KEY, { mode: 0o644 });
    writeFileSync(`${path}.masked`, 'left by a supervisor that died, and longer than what comes now');
    await expectNamed();
    expect(readFileSync(path, 'utf8')).toBe('***');
    expect(readdirSync(folder)).toEqual(['a.log']);
  });

  test('is as it was when it cannot be masked', async () => {
    writeFileSync(path, KEY);
    let looks = 0;
    const breaking = (text: string): string => {
      // Scanning the block and the rest still works and finds a key; then writing fails.
      if (looks++ >= 2) throw new Error('broken');
      return mask(text);
    };
    await expect(maskFile(path, breaking)).rejects.toThrow('broken');
    expect(readFileSync(path, 'utf8')).toBe(KEY);
    expect(readdirSync(folder)).toEqual(['a.log']);
  });
});

test('a file that is not there is an error, and none is made', async () => {
  await expect(maskFile(path, mask)).rejects.toThrow('ENOENT');
  expect(readdirSync(folder)).toEqual([]);
});

test('what is not a plain file any more has no digest', async () => {
  symlinkSync('/dev/null', path);
  expect(await maskFile(path, mask)).toBeNull();
});
