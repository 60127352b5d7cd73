/** `ralph task` and its message bus on the simulated Mac, without a sandbox, and in the fake of the OS sandbox. */
import { expect, test } from 'vitest';
import { sandboxedTask } from '../support/tasks/sandboxed-task.ts';
import { DONE, taskLoopScene } from '../support/tasks/task-loop.ts';
import { makeMac } from './mac.ts';

test('a task runs until it is done, posts to the bus, and can be resumed after kill -9', async () => {
  const machine = makeMac();
  const play = `ralph bus post --type FACT --body "run $RALPH_KEY"
    [ "$RALPH_KEY" = 2/work/1 ] && at_gate; [ "$n" = 3 ] && ${DONE}; true`;
  const scene = taskLoopScene({ play, machine, env: machine.env });
  const killed = scene.start();
  await scene.logged('at gate 2/work/1');
  killed.signal('SIGKILL');
  await killed.exited;
  expect(await scene.resume()).toMatchObject({ code: 0 });
  expect(scene.said('FACT').filter((fact) => fact.startsWith('run'))).toEqual([
    'run 1/work/1',
    'run 2/work/1',
    'run 2/work/2',
    'run 3/work/1',
  ]);
});

test('ralph task stop ends a run and the processes that it started', async () => {
  const machine = makeMac();
  const scene = taskLoopScene({ play: `sleep 600 & at_gate; ${DONE}`, machine, env: machine.env });
  const loop = scene.start();
  await scene.logged('at gate 1/work/1');
  expect(await scene.stop('--force')).toMatchObject({ code: 0 });
  await loop.exited;
});

test('in the sandbox, where ps cannot run, an agent can still post to the bus', async () => {
  const machine = makeMac();
  const play = `/bin/ps -o stat= -p $$ && exit 9
    ralph bus post --type FACT --body "found it" && ralph bus read --tail 9 >notes; ${DONE}`;
  const scene = sandboxedTask({ play, machine, env: machine.env });
  expect(await scene.sandboxed()).toMatchObject({ code: 0 });
  expect(scene.noted()).toContain('found it');
  expect(scene.said('FACT')).toContain('found it');
  const [profile = ''] = machine.profiles();
  expect(profile).toContain(`(subpath "${scene.work}")`);
});
