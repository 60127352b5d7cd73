import { expect, test } from 'vitest';
import { readEnvironment } from './environment.ts';

test('the state lies where the user keeps such things', () => {
  expect(readEnvironment({ HOME: '/home/me' }).root.path).toBe('/home/me/.local/state/ralph');
  expect(readEnvironment({ HOME: '/home/me', XDG_STATE_HOME: '/var/state' }).root.path).toBe('/var/state/ralph');
  expect(readEnvironment({ HOME: '/home/me', XDG_STATE_HOME: '' }).root.path).toBe('/home/me/.local/state/ralph');
});

test.each(['cgroup', 'pid-namespace', 'group'] as const)('the level "%s" can be forced', (level) => {
  expect(readEnvironment({ RALPH_CONTAINMENT: level }).containment).toBe(level);
});

test('without a word the strongest level is left to the machine', () => {
  expect(readEnvironment({}).containment).toBeNull();
  expect(readEnvironment({ RALPH_CONTAINMENT: '' }).containment).toBeNull();
});

test('an unknown level is refused with those that there are', () => {
  expect(() => readEnvironment({ RALPH_CONTAINMENT: 'docker' })).toThrow(
    expect.objectContaining({
      message: 'RALPH_CONTAINMENT is "docker"',
      advice: { exitCode: 2, hint: expect.stringContaining('cgroup, pid-namespace, group') },
    }),
  );
});

test('programs get the environment as it is', () => {
  const variables = { PATH: '/bin', SECRET: 'x' };
  expect(readEnvironment(variables).variables).toEqual(variables);
});
