import { chmodSync, mkdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { treeFingerprint } from './command.ts';

test('the name of a work tree changes with everything that is work, and with nothing else', () => {
  const root = testFolder();
  const write = (path: string, text: string): void => writeFileSync(join(root, path), text);
  for (const folder of ['.git', '.ralph', 'node_modules/.bin']) mkdirSync(join(root, folder), { recursive: true });
  write('a.txt', 'one');
  write('.git/index', 'one');
  write('.ralph/guardrail_001_x.log', 'one');
  let last = treeFingerprint(root);
  expect(last).toBeDefined();
  const changes = (change: () => void): boolean => {
    change();
    const before = last;
    last = treeFingerprint(root);
    return last !== before;
  };
  expect(changes(() => write('.git/index', 'longer'))).toBe(false);
  expect(changes(() => write('.ralph/guardrail_002_x.log', 'two'))).toBe(false);
  expect(changes(() => write('a.txt', 'longer'))).toBe(true);
  expect(changes(() => utimesSync(join(root, 'a.txt'), 5, 5))).toBe(true);
  expect(changes(() => chmodSync(join(root, 'a.txt'), 0o755))).toBe(true);
  expect(changes(() => write('node_modules/.bin/eslint', ''))).toBe(true);
  expect(changes(() => mkdirSync(join(root, 'empty')))).toBe(true);
  expect(changes(() => symlinkSync('.', join(root, 'loop')))).toBe(true);
  expect(changes(() => rmSync(join(root, 'a.txt')))).toBe(true);
});

test('a folder that cannot be read has none', () => {
  expect(treeFingerprint(join(testFolder(), 'gone'))).toBeUndefined();
});
