import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { makeStandIn } from './shared-folder.ts';

test('everything is there but the part that is left out, and a change goes to the real place', async () => {
  const folder = testFolder();
  const [real, standIn] = [join(folder, 'real'), join(folder, 'stand-in')];
  mkdirSync(join(real, 'git'), { recursive: true });
  mkdirSync(join(real, 'opencode'));
  writeFileSync(join(real, 'git/config'), '[user]');
  await makeStandIn({ real, standIn, without: 'opencode' });
  expect(readdirSync(standIn)).toEqual(['git']);
  writeFileSync(join(standIn, 'git/config'), '[core]');
  expect(readFileSync(join(real, 'git/config'), 'utf8')).toBe('[core]');
});

test('throwing it away leaves the real folder alone', async () => {
  const folder = testFolder();
  const [real, standIn] = [join(folder, 'real'), join(folder, 'stand-in')];
  mkdirSync(join(real, 'git'), { recursive: true });
  writeFileSync(join(real, 'git/config'), '[user]');
  await makeStandIn({ real, standIn, without: 'opencode' });
  rmSync(standIn, { recursive: true });
  expect(readFileSync(join(real, 'git/config'), 'utf8')).toBe('[user]');
});

test('a folder that is not there has an empty stand-in', async () => {
  const folder = testFolder();
  await makeStandIn({ real: join(folder, 'none'), standIn: join(folder, 'stand-in'), without: 'opencode' });
  expect(readdirSync(join(folder, 'stand-in'))).toEqual([]);
  expect(existsSync(join(folder, 'none'))).toBe(false);
});
