/** While a loop runs, caffeinate keeps a Mac awake. A fake that ends in the same way records how it is called. */
import { chmodSync, existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { processesOf } from '../support/programs/processes.ts';
import { DONE, makeScene, type Scene } from '../support/scene.ts';
import { makeMac } from './mac.ts';

/** `-w <pid>`: runs until that process is gone. */
const CAFFEINATE = `#!/bin/sh
echo "$@" >"$0.called"
while kill -0 "$3" 2>/dev/null; do sleep 0.05; done
`;

function macScene(): Scene {
  const machine = makeMac();
  const env = { ...machine.env, RALPH_HEARTBEAT_MS: '50' };
  const scene = makeScene({ play: `at_gate; ${DONE}`, machine, env });
  mkdirSync(join(scene.folder, 'keepers'));
  scene.write('keepers/caffeinate', CAFFEINATE);
  chmodSync(join(scene.folder, 'keepers/caffeinate'), 0o755);
  scene.env.PATH = `${join(scene.folder, 'keepers')}:${scene.env.PATH}`;
  return scene;
}

const called = (scene: Scene): string =>
  existsSync(join(scene.folder, 'keepers/caffeinate.called')) ? scene.read('keepers/caffeinate.called') : '';
const keepers = (scene: Scene) => processesOf(scene.folder).filter(({ command }) => command.includes('caffeinate'));

test('caffeinate runs until the loop ends', async () => {
  const scene = macScene();
  const running = scene.ralph(['run', '-p', 'x']);
  await scene.logged('at gate 1/work/1');
  await expect.poll(() => called(scene)).toMatch(/^-i -w \d+\n$/);
  expect(keepers(scene)).toHaveLength(1);
  scene.openGate();
  expect((await running.exited).code).toBe(0);
  // The sleep that the fake was in has ended, too.
  await expect.poll(() => processesOf(scene.folder)).toEqual([]);
});

test('caffeinate runs until the loop is killed', async () => {
  const scene = macScene();
  const running = scene.ralph(['run', '-p', 'x']);
  await scene.logged('at gate 1/work/1');
  await expect.poll(() => called(scene)).not.toBe('');
  running.signal('SIGKILL');
  await running.exited;
  await expect.poll(() => keepers(scene)).toEqual([]);
  await scene.letGo();
});
