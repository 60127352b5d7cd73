import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../../test/support/folder.ts';
import { writeIn } from './state-file.ts';

test('a folder that is removed between its making and the write is made again', () => {
  const folder = join(testFolder(), 'ralph', 'agent');
  let removals = 0;
  writeIn(folder, () => {
    if (removals++ < 3) rmSync(join(folder, '..'), { recursive: true });
    writeFileSync(join(folder, 'file'), 'text');
  });
  expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('text');
});

test('but not for ever', () => {
  const folder = join(testFolder(), 'agent');
  const write = (): void => {
    rmSync(folder, { recursive: true });
    writeFileSync(join(folder, 'file'), 'text');
  };
  expect(() => writeIn(folder, write)).toThrow('ENOENT');
});
