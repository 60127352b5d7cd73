import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { steadyNode } from './install-hooks.ts';

test('a stable name that leads to this very node is used, another one is not', () => {
  const home = testFolder();
  for (const folder of ['cellar/1.0', 'cellar/2.0', '.local/bin']) mkdirSync(join(home, folder), { recursive: true });
  const [first, second, steady] = [
    join(home, 'cellar/1.0/node'),
    join(home, 'cellar/2.0/node'),
    join(home, '.local/bin/node'),
  ];
  for (const path of [first, second]) writeFileSync(path, '');
  symlinkSync(first, steady);
  expect(steadyNode(first, home)).toBe(steady);
  expect(steadyNode(second, home)).toBe(second);
});
