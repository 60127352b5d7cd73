import { expect, test } from 'vitest';
import { gitRunsPlanted, ownEnvironment } from './own-environment.ts';

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
