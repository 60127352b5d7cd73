import { expect, test } from 'vitest';
import { checkedOptions, type RalphLoopOptions } from './ralph-loop-options.ts';

const runRoot = (): void => undefined;

test('what is not given has the seed’s defaults', () => {
  expect(checkedOptions('/t', '/t/bus', { runRoot, project: 'p' })).toEqual({
    runRoot,
    project: 'p',
    task: '',
    maxRestarts: 100,
    waitTimeout: 300_000,
    pollInterval: 1000,
    restartDelay: 1000,
    cwd: '/t',
  });
});

test.each<[string, string, string, Partial<RalphLoopOptions>]>([
  ['run directory is empty', '', '/b', {}],
  ['run directory is empty', '  ', '/b', {}],
  ['message bus is nil', '/t', '', {}],
  ['wait timeout must be positive', '/t', '/b', { waitTimeout: 0 }],
  ['poll interval must be positive', '/t', '/b', { pollInterval: -1 }],
  ['restart delay must not be negative', '/t', '/b', { restartDelay: -1 }],
  ['max restarts must not be negative', '/t', '/b', { maxRestarts: -1 }],
  ['max restarts must not be negative', '/t', '/b', { maxRestarts: Number.NaN }],
  // As a program in JavaScript may call it.
  ['root runner is nil', '/t', '/b', { runRoot: null as unknown as () => void }],
  ['project id is empty', '/t', '/b', { project: ' ' }],
])('refused: %s', (message, runDir, bus, given) => {
  expect(() => checkedOptions(runDir, bus, { runRoot, project: 'p', ...given })).toThrow(new TypeError(message));
});

test('no restarts and no delay are allowed', () => {
  expect(checkedOptions('/t', '/b', { runRoot, project: 'p', maxRestarts: 0, restartDelay: 0 })).toMatchObject({
    maxRestarts: 0,
    restartDelay: 0,
  });
});
