import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { testRepository } from '../../../test/support/git/repository.ts';
import { gitRunsPlanted, ownEnvironment, repositoryWatch } from './own-environment.ts';

const POLICY = { writable: ['/work'], readOnly: ['/work/.ralph'] };

test('what programs run at their start is for those inside', () => {
  const env = { NODE_OPTIONS: '--require /work/.pnp.cjs', LD_PRELOAD: '/work/x.so', HOME: '/home/me' };
  expect(ownEnvironment(env, POLICY)).toEqual({
    NODE_OPTIONS: undefined,
    RALPH_INSIDE_NODE_OPTIONS: '--require /work/.pnp.cjs',
    LD_PRELOAD: undefined,
    RALPH_INSIDE_LD_PRELOAD: '/work/x.so',
  });
});

test('of paths what the agent can write is left out', () => {
  const env = { PATH: '/work/bin:/usr/bin', LD_LIBRARY_PATH: '/opt/lib:lib' };
  expect(ownEnvironment(env, POLICY)).toEqual({
    PATH: '/usr/bin',
    RALPH_INSIDE_PATH: '/work/bin:/usr/bin',
    LD_LIBRARY_PATH: '/opt/lib',
    RALPH_INSIDE_LD_LIBRARY_PATH: '/opt/lib:lib',
  });
});

test('a program of ours that opens a sandbox of its own hands on what it was handed', () => {
  const env = { PATH: '/work/bin:/usr/bin', NODE_OPTIONS: '--require /work/.pnp.cjs' };
  const first = ownEnvironment(env, POLICY);
  expect(ownEnvironment({ ...env, ...first }, POLICY)).toEqual(first);
});

test.each([
  ['GIT_SSH_COMMAND', 'ssh -i /home/me/key', null],
  ['GIT_SSH_COMMAND', 'ssh -F "/work/ssh config"', '/work/ssh'],
  ['GIT_SSH_COMMAND', './ssh.sh -v', './ssh.sh'],
  ['GIT_ASKPASS', '/usr/bin/askpass', null],
  ['SSH_ASKPASS', 'tools/askpass', 'tools/askpass'],
  ['GIT_EXEC_PATH', '/work/.ralph/git', null],
])('%s=%s', (name, value, planted) => {
  const problem = gitRunsPlanted({ [name]: value }, '/work', POLICY);
  expect(problem).toBe(planted === null ? null : `${name} names ${planted}, which the agent can write`);
});

test('a repository whose hooks change is no longer the loop’s, also for a loop that the release before this one began', () => {
  const { cwd } = testRepository();
  const folder = testFolder();
  const watch = () => repositoryWatch(folder, cwd, { PATH: process.env.PATH })();
  expect(watch()).toBeNull();
  const file = join(folder, 'repository.json');
  const { trustedConfig, ...kept } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
  writeFileSync(file, JSON.stringify({ ...kept, obeyed: trustedConfig }));
  expect(watch()).toBeNull();
  writeFileSync(join(cwd, '.git/hooks/post-commit'), '#!/bin/sh\n');
  expect(watch()).toBe("the repository's hooks or settings have changed since the loop began");
});
