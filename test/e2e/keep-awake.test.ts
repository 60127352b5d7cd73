/** While a loop runs, a system program keeps the machine awake. A fake one shows how it is called. */
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { processesOf } from '../support/programs/processes.ts';
import { DONE, makeScene, type Scene } from '../support/scene.ts';

/** A scene with a fake program on its PATH that records its arguments and runs the command that holds the lock. */
function withKeeper(name: string, holds: string): Scene {
  const scene = makeScene({ play: `at_gate; ${DONE}`, env: { RALPH_HEARTBEAT_MS: '50' } });
  mkdirSync(join(scene.folder, 'keepers'));
  scene.write(`keepers/${name}`, `#!/bin/sh\necho "$@" >"${scene.folder}/kept"\n${holds}\n`);
  chmodSync(join(scene.folder, 'keepers', name), 0o755);
  scene.env.PATH = `${join(scene.folder, 'keepers')}:${scene.env.PATH}`;
  return scene;
}

const isKept = (scene: Scene): boolean => existsSync(join(scene.folder, 'kept')) && scene.read('kept') !== '';

test('on Linux, systemd-inhibit keeps the machine awake until the loop ends', async () => {
  const scene = withKeeper('systemd-inhibit', 'exec cat');
  const running = scene.ralph(['run', '-p', 'x']);
  await scene.logged('at gate 1/work/1');
  await expect.poll(() => isKept(scene)).toBe(true);
  expect(scene.read('kept')).toBe('--what=sleep:idle --who=ralph --why=a loop is running --mode=block cat\n');
  scene.openGate();
  expect((await running.exited).code).toBe(0);
  await expect.poll(() => processesOf(scene.folder)).toEqual([]);
});

test('the machine can sleep again when the supervisor is killed', async () => {
  const scene = withKeeper('systemd-inhibit', 'exec cat');
  const running = scene.ralph(['run', '-p', 'x']);
  await scene.logged('at gate 1/work/1');
  await expect.poll(() => isKept(scene)).toBe(true);
  running.signal('SIGKILL');
  await running.exited;
  await expect.poll(() => processesOf(scene.folder).filter(({ command }) => command === 'cat')).toEqual([]);
  const resumed = scene.ralph(['resume']);
  await scene.logged('at gate 1/work/2');
  scene.openGate();
  expect((await resumed.exited).code).toBe(0);
});

test('--no-keep-awake starts no program', async () => {
  const scene = withKeeper('systemd-inhibit', 'exec cat');
  const running = scene.ralph(['run', '-p', 'x', '--no-keep-awake']);
  await running.says('[');
  scene.openGate();
  await running.exited;
  expect(isKept(scene)).toBe(false);
});

test('a program in the project, where an agent could have put it, is not used', async () => {
  const scene = withKeeper('other', 'exec cat');
  const bin = join(scene.work, 'node_modules/.bin');
  mkdirSync(bin, { recursive: true });
  scene.write('work/node_modules/.bin/systemd-inhibit', `#!/bin/sh\necho planted >"${scene.folder}/kept"\n`);
  chmodSync(join(bin, 'systemd-inhibit'), 0o755);
  scene.env.PATH = `${bin}:node_modules/.bin:${scene.env.PATH}`;
  const running = scene.ralph(['run', '-p', 'x']);
  await running.says('[');
  await running.says('s, quiet');
  scene.openGate();
  await running.exited;
  expect(isKept(scene)).toBe(false);
});
