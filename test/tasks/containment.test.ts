/** What a task's agent leaves running is gone after its run, on every containment level of this machine. */
import { describe, expect, test } from 'vitest';
import { levelsToTest } from '../support/levels.ts';
import { processesOf } from '../support/programs/processes.ts';
import { DONE, taskLoopScene } from '../support/tasks/task-loop.ts';

/** Waits forever and ignores SIGTERM. It logs when it has begun to ignore it. */
const DEAF = `trap '' TERM; echo deaf >>"$SCENE/starts.log"; while :; do read -r _ <"$SCENE/gate"; done`;
const LOCKED = 'while flock -n "$SCENE/lock" true; do sleep 0.01; done';

describe.each(levelsToTest())('contained by "%s"', (level) => {
  test('an agent that ignores SIGTERM is killed after the grace, and the attempt counts as failed', async () => {
    const scene = taskLoopScene({ level, play: `[ "$n" = 2 ] && { ${DONE}; exit 0; }; ${DEAF}` });
    const { code, stderr } = await scene.runTask('--total-timeout', '500ms', '--grace', '100ms');
    expect(code).toBe(0);
    expect(stderr).toContain('Process group killed, treating as failure');
    expect(scene.runs()).toMatchObject([{ status: 'failed', errorSummary: 'timed out' }, { status: 'completed' }]);
    expect(processesOf(scene.folder)).toEqual([]);
  });

  test('a child of the agent that ignores SIGTERM is gone after a cancellation', async () => {
    const scene = taskLoopScene({ level, play: `(${DEAF}) & wait` });
    const loop = scene.start('--grace', '100ms');
    await scene.logged('deaf');
    loop.signal('SIGINT');
    expect(await loop.exited).toMatchObject({ code: 130 });
    expect(processesOf(scene.folder)).toEqual([]);
  });

  test('what is left running after a normal exit is asked to end, and gets the time for it', async () => {
    const child = `(trap 'sleep 0.3; echo saved >"$SCENE/saved"; exit' TERM; echo up >>"$SCENE/starts.log"; while :; do sleep 0.05; done)`;
    const scene = taskLoopScene({
      level,
      play: `${child} & until grep -q up "$SCENE/starts.log"; do sleep 0.01; done; ${DONE}`,
    });
    expect(await scene.runTask()).toMatchObject({ code: 0 });
    expect(scene.read('saved')).toBe('saved\n');
    expect(scene.runs()).toMatchObject([{ status: 'completed', exitCode: 0 }]);
    expect(processesOf(scene.folder)).toEqual([]);
  });

  // The weakest level is best effort, and says so: a daemon that hides escapes it.
  const daemons = {
    'that forked twice': '',
    'in a session of its own': 'setsid',
    ...(level === 'group' ? {} : { 'that hides': 'setsid setsid env -i' }),
  };
  test.each(Object.entries(daemons))(
    'a daemon %s is gone after a normal exit, before the next run',
    async (_how, front) => {
      const daemon = `(${front} flock "$SCENE/lock" sh -c 'read -r _ <"$0"' "$SCENE/gate" >/dev/null 2>&1 &)`;
      const play = `flock -n "$SCENE/lock" true || { echo "it is still there" >&2; exit 9; }
      [ "$n" = 3 ] && { ${DONE}; exit 0; }; ${daemon}; ${LOCKED}`;
      const scene = taskLoopScene({ level, play });
      expect(await scene.runTask()).toMatchObject({ code: 0 });
      expect(scene.runs().map(({ exitCode }) => exitCode)).toEqual([0, 0, 0]);
      expect(processesOf(scene.folder)).toEqual([]);
    },
  );
});

test('the grace is five seconds by default: what ends after four is not killed', async () => {
  const play = `trap 'sleep 4; echo saved >"$SCENE/saved"; exit 0' TERM; echo ready >>"$SCENE/starts.log"; read -r _ <"$SCENE/gate"`;
  const scene = taskLoopScene({ play });
  const loop = scene.start();
  await scene.logged('ready');
  loop.signal('SIGTERM');
  expect(await loop.exited).toMatchObject({ code: 130 });
  expect(scene.read('saved')).toBe('saved\n');
});

test('what does not end in time is killed', async () => {
  const scene = taskLoopScene({ play: DEAF });
  const loop = scene.start();
  await scene.logged('deaf');
  loop.signal('SIGTERM');
  expect(await loop.exited).toMatchObject({ code: 130 });
  expect(scene.runs()).toMatchObject([{ exitCode: 137, status: 'stopped' }]);
});
