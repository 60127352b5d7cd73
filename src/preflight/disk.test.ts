import { statfsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { diskFindings, sizeText } from './disk.ts';

test('a folder that is not made yet is looked at where it will be, and one disk only once', () => {
  const folder = testFolder();
  const places = ['a/b/c', 'd'].map((path) => ({ name: path, path: join(folder, path), fix: '' }));
  const { bavail, bsize } = statfsSync(folder);
  expect(diskFindings(places)).toEqual([
    { level: 'ok', what: expect.stringMatching(/^\d+(?:\.\d)? [GM]B free for the a\/b\/c: /), fix: '' },
  ]);
  expect(bavail * bsize).toBeGreaterThan(0);
});

test('a disk with nothing free is warned of, with what to do', () => {
  const place = { name: 'work tree', path: '/proc', fix: 'make room' };
  expect(diskFindings([place])).toEqual([
    { level: 'warning', what: 'only 0.0 MB free for the work tree: /proc', fix: 'make room' },
  ]);
});

test('a place that cannot be looked at is left to who uses it', () => {
  expect(diskFindings([{ name: 'x', path: '/dev/null/x', fix: '' }])).toEqual([]);
});

test.each([
  [0, '0.0 MB'],
  [300 * 1024 ** 2, '300 MB'],
  [5.5 * 1024 ** 3, '5.5 GB'],
  [77 * 1024 ** 3, '77 GB'],
])('%d bytes are %s', (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});
