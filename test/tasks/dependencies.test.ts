/** Tasks that depend on each other, and tasks that run at the same time. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { taskFile } from '../../src/loops/tasks/folder/task-folder.ts';
import { DONE, PROJECT, TASK, type TaskLoopScene, taskLoopScene, until } from '../support/tasks/task-loop.ts';

describe('a task that depends on another', () => {
  const other = 'task-20260220-153046-checkout';
  const sceneWithOther = (): TaskLoopScene => {
    const scene = taskLoopScene({ play: DONE });
    mkdirSync(join(scene.root, PROJECT, other));
    return scene;
  };

  test('is refused if that one does not exist, with the name that was probably meant', async () => {
    const scene = sceneWithOther();
    const { code, stderr } = await scene.runTask('--depends-on', 'task-20260220-153046-chekcout');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `error: there is no task task-20260220-153046-chekcout in project ${PROJECT} to depend on\nhint: Did you mean ${other}?\n`,
    });
    expect(scene.loops()).toEqual([]);
  });

  test('can be stopped while it waits, and the command says that it stopped the loop', async () => {
    const scene = sceneWithOther();
    const loop = scene.start('--depends-on', other);
    await loop.says('task blocked by dependencies');
    expect(await scene.stop()).toMatchObject({ code: 0, stdout: `Stopped the loop of ${TASK} (PID ${loop.pid})\n` });
    expect(await loop.exited).toMatchObject({ code: 130 });
  });

  test('is stopped by ralph stop at once: there is no iteration to wait for', async () => {
    const scene = sceneWithOther();
    const loop = scene.start('--depends-on', other, '--dependency-poll-interval', '1h');
    await loop.says('task blocked by dependencies');
    expect(await scene.ralph(['stop', TASK]).exited).toMatchObject({ code: 0 });
    expect(await loop.exited).toMatchObject({ code: 130 });
    expect(scene.starts()).toEqual([]);
  });

  test('waits until that one is done, and says so', async () => {
    const scene = sceneWithOther();
    const loop = scene.start('--depends-on', other, '--dependency-poll-interval', '20ms');
    await loop.says(`task blocked by dependencies: ${other}`);
    expect(scene.starts()).toEqual([]);
    const args = ['task', 'run', '--project', PROJECT, '--task', other, '--agent', scene.agent, '--prompt', 'First.'];
    expect(await scene.ralph(args).exited).toMatchObject({ code: 0 });
    expect(await loop.exited).toMatchObject({ code: 0 });
    expect(scene.starts()).toHaveLength(2);
    expect(scene.said('PROGRESS')).toEqual([`task blocked by dependencies: ${other}`]);
    expect(scene.said('FACT')[0]).toBe('dependencies satisfied; starting task');
  });

  test('can be cancelled while it waits, and waits again when it is resumed', async () => {
    const scene = sceneWithOther();
    const loop = scene.start('--depends-on', other, '--dependency-poll-interval', '1h');
    await loop.says('task blocked by dependencies');
    loop.signal('SIGINT');
    expect(await loop.exited).toMatchObject({ code: 130 });
    // It looks for its own DONE file, too.
    writeFileSync(taskFile.done(scene.task), '');
    expect(await scene.resume()).toMatchObject({ code: 0 });
    expect(scene.starts()).toEqual([]);
  });

  test('is refused if the two depend on each other, or it on itself', async () => {
    const scene = sceneWithOther();
    const itself = await scene.runTask('--depends-on', TASK);
    expect(itself).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`task "${TASK}" cannot depend on itself`),
    });
    const first = scene.start('--depends-on', other);
    await first.says('task blocked by dependencies');
    const args = ['task', 'run', '--project', PROJECT, '--task', other, '--prompt', 'x', '--depends-on', TASK];
    const { code, stderr } = await scene.ralph(args).exited;
    expect(code).toBe(2);
    expect(stderr).toContain(`dependency cycle detected: ${TASK} -> ${other} -> ${TASK}`);
    first.signal('SIGINT');
    await first.exited;
  });
});

test('two tasks in one working directory can run at the same time', async () => {
  const scene = taskLoopScene({ play: `at_gate; ${DONE}` });
  const other = 'task-20260220-153046-checkout';
  const second = scene.ralph([
    'task',
    'run',
    '--project',
    PROJECT,
    '--task',
    other,
    '--agent',
    scene.agent,
    '--prompt',
    'x',
  ]);
  const first = scene.start();
  await until(() => scene.starts().filter((line) => line.startsWith('at gate')).length === 2);
  scene.openGate();
  scene.openGate();
  expect(await first.exited).toMatchObject({ code: 0 });
  expect(await second.exited).toMatchObject({ code: 0 });
  expect(scene.projectSaid()).toHaveLength(2);
});
