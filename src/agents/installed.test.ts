import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { errorOf } from '../../test/support/error-of.ts';
import { testFolder } from '../../test/support/folder.ts';
import { AGENTS } from './index.ts';
import { installedAgent, noAgentInstalled, unattendedFlags, withModel } from './installed.ts';

function withPrograms(...names: readonly string[]): string {
  const folder = testFolder();
  for (const name of names) {
    writeFileSync(join(folder, name), '#!/bin/sh\n');
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

test('the installed agent is the first of the list that can be run', () => {
  expect(installedAgent(withPrograms('gemini', 'codex'), '/')?.name).toBe('codex');
  const path = withPrograms('claude', 'amp');
  chmodSync(join(path, 'claude'), 0o644);
  expect(installedAgent(path, '/')?.name).toBe('amp');
  expect(installedAgent(withPrograms('other'), '/')).toBeNull();
});

test('where none is installed, each is named with how to install it', () => {
  const { hint } = noAgentInstalled().advice;
  for (const { install } of AGENTS) expect(hint).toContain(install);
});

test.each<[string, string[], string[]]>([
  ['claude', [], ['--dangerously-skip-permissions']],
  ['/opt/claude', ['--model', 'opus'], ['--dangerously-skip-permissions']],
  ['claude', ['--dangerously-skip-permissions'], []],
  ['claude', ['--permission-mode=acceptEdits'], []],
  ['claude', ['--allowedTools', 'Edit'], []],
  ['codex', [], ['--dangerously-bypass-approvals-and-sandbox']],
  ['codex', ['-s', 'read-only'], []],
  ['gemini', [], []],
  ['my-agent', [], []],
])('%s with %j works unattended by %j', (command, given, flags) => {
  expect(unattendedFlags(command, given)).toEqual(flags);
});

test.each<[string, string[], string[]]>([
  ['claude', [], ['--model', 'm']],
  ['claude', ['--verbose', '--model', 'opus', '-x'], ['--model', 'm', '--verbose', '-x']],
  ['claude', ['--model=opus'], ['--model', 'm']],
  ['codex', ['--model', 'o', '-s', 'x'], ['-m', 'm', '-s', 'x']],
  ['opencode', ['-m=o'], ['-m', 'm']],
])('the model of %s takes the place of the one in %j', (command, flags, given) => {
  expect(withModel(command, flags, 'm')).toEqual(given);
});

test('an agent whose model flag is not known refuses a model', () => {
  expect(errorOf(() => withModel('amp', [], 'm')).message).toContain('the model flag of Amp is not known');
  expect(errorOf(() => withModel('./mine', [], 'm'))).toMatchObject({ advice: { exitCode: 2 } });
});
