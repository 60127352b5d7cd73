import { existsSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { withThrowAwayFolder } from './rehearse.ts';

test("the folder is in the user's cache, closed to others, and gone afterwards", async () => {
  const cache = testFolder();
  const folder = await withThrowAwayFolder({ XDG_CACHE_HOME: cache }, async (folder) => {
    expect(dirname(folder)).toBe(join(cache, 'ralph/rehearsals'));
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    writeFileSync(join(folder, 'left-behind'), '');
    return folder;
  });
  expect(existsSync(folder)).toBe(false);
});

test('it is gone after a failure too', async () => {
  let made = '';
  const failed = withThrowAwayFolder({ HOME: testFolder() }, async (folder) => {
    made = folder;
    throw new Error('on purpose');
  });
  await expect(failed).rejects.toThrow('on purpose');
  expect(made).not.toBe('');
  expect(existsSync(made)).toBe(false);
});

test('without a home that can be written, temporary files are good enough', async () => {
  await withThrowAwayFolder({ HOME: '/dev/null' }, async (folder) => expect(dirname(folder)).toBe(tmpdir()));
});
