import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { CHECK_KINDS } from '../checks/index.ts';
import { sandboxSettings } from './settings.ts';

test.each([
  ['without an agent', { sandbox: { kind: 'os' } }],
  ['with flags for one that is named elsewhere', { agent: { flags: ['--verbose'] }, sandbox: { kind: 'os' } }],
])('settings %s are whole', (_what, settings) => {
  const cwd = testFolder();
  mkdirSync(join(cwd, '.ralph'));
  writeFileSync(join(cwd, '.ralph/settings.json'), JSON.stringify(settings));
  expect(sandboxSettings(cwd, CHECK_KINDS, {})).toMatchObject({ kind: 'os' });
});

test('no settings say nothing', () => {
  expect(sandboxSettings(testFolder(), CHECK_KINDS, {})).toBeUndefined();
});
