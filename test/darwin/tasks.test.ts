/** `ralph task` and its message bus, as on a Mac: without a sandbox, and in that of the system as far as Linux can play it. */
import { expect, test } from 'vitest';
import { sandboxedTask } from '../support/tasks/sandboxed-task.ts';
import { DONE, taskLoopScene } from '../support/tasks/task-loop.ts';
import { makeMac } from './mac.ts';

test('a task is run again until it is done, says how it goes, and is resumed after kill -9', async () => {
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

test('ralph task stop ends a run and what it started', async () => {
  const machine = makeMac();
  const scene = taskLoopScene({ play: `sleep 600 & at_gate; ${DONE}`, machine, env: machine.env });
  const loop = scene.start();
  await scene.logged('at gate 1/work/1');
  expect(await scene.stop('--force')).toMatchObject({ code: 0 });
  await loop.exited;
});

test('in the sandbox, where ps cannot be run, an agent writes to the bus all the same', async () => {
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
