/** A task that is cancelled, killed, stopped, or takes too long: nothing is left running, and it can be continued. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { stopTask } from '../../src/cli/task/stop.ts';
import { taskFile } from '../../src/loops/tasks/folder/task-folder.ts';
import { processesOf } from '../support/programs/processes.ts';
import { DONE, PROJECT, TASK, type TaskLoopScene, taskLoopScene, until } from '../support/tasks/task-loop.ts';

const FIRST_WAITS = `if [ -e "$SCENE/later" ]; then ${DONE}; else at_gate; fi`;

describe('cancellation', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)(
    '%s during a run ends it at once, and a resume continues',
    async (signal) => {
      const scene = taskLoopScene({ play: FIRST_WAITS });
      const loop = scene.start();
      await scene.logged('at gate 1/work/1');
      loop.signal(signal);
      const { code, stderr } = await loop.exited;
      expect(code).toBe(130);
      expect(stderr).toMatch(
        /\n! Interrupted after 1 iteration · .*\n {2}.*\n[\s\S]*\n {2}ralph task resume --project .*\n {4}continue\n {2}ralph show \S+ +the whole story\n$/,
      );
      expect(processesOf(scene.folder)).toEqual([]);
      expect(scene.runs()).toMatchObject([{ status: 'stopped' }]);
      expect(scene.runs()[0]?.endTime).not.toBeNull();
      scene.write('later', '');
      expect(await scene.resume()).toMatchObject({ code: 0 });
      expect(scene.starts().filter((line) => line.startsWith('agent'))).toEqual(['agent 1/work/1', 'agent 1/work/2']);
      expect(scene.runText(1, 'prompt')).toContain('\n\nDo the work.\n');
    },
  );

  test('a closed terminal lets the run finish, and a resume continues', async () => {
    const scene = taskLoopScene({
      play: `if [ -e "$SCENE/later" ]; then ${DONE}; fi; at_gate; echo over >>"$SCENE/starts.log"`,
    });
    const loop = scene.start();
    await scene.logged('at gate 1/work/1');
    loop.signal('SIGHUP');
    await loop.says('The terminal was closed');
    scene.write('later', '');
    scene.openGate();
    expect(await loop.exited).toMatchObject({ code: 130 });
    expect(scene.starts()).toEqual(['agent 1/work/1', 'at gate 1/work/1', 'over']);
    scene.openGate();
    expect(await scene.resume()).toMatchObject({ code: 0 });
    expect(scene.starts()).toContain('agent 2/work/1');
  });

  test('during the delay it ends at once, and a resume can set another delay', async () => {
    const scene = taskLoopScene({ play: 'true' });
    const loop = scene.start('--restart-delay', '1h');
    await loop.says('restarting (attempt 2/100)');
    loop.signal('SIGINT');
    expect(await loop.exited).toMatchObject({ code: 130 });
    expect(scene.starts()).toHaveLength(1);
    // The same loop would wait for the rest of its hour; a resume with another delay starts a new loop.
    expect(await scene.resume('--restart-delay', '10ms')).toMatchObject({ code: 1 });
    expect(scene.starts()).toHaveLength(4);
  });
});

test('a resume uses the agent, the flags and the folder of the last start', async () => {
  const scene = taskLoopScene({ play: 'echo "$PWD $*"; [ "$n" = 2 ] || exit 42' });
  await scene.runTask('--agent-flag=--deep', '--cwd', scene.folder, '--max-restarts', '1');
  await scene.resume();
  expect([0, 1].map((index) => scene.runText(index, 'stdout'))).toEqual([1, 2].map(() => `${scene.folder} --deep\n`));
});

describe('a supervisor that is killed', () => {
  test('in a run: the resume ends the old agent, continues the count, and repeats nothing', async () => {
    const scene = taskLoopScene({ play: `[ "$n" = 1 ] && exit 1; ${FIRST_WAITS}` });
    const loop = scene.start('--max-restarts', '2');
    await scene.logged('at gate 2/work/1');
    await until(() => scene.said('RUN_START').length === 2);
    loop.signal('SIGKILL');
    await loop.exited;
    expect(processesOf(scene.folder).length).toBeGreaterThan(0);
    scene.write('later', '');
    expect(await scene.resume()).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(
        'The agent was interrupted: it was still running and was ended; it starts again\n',
      ),
    });
    const started = scene.starts().filter((line) => line.startsWith('agent'));
    expect(started).toEqual(['agent 1/work/1', 'agent 2/work/1', 'agent 2/work/2']);
    expect(scene.runs().map(({ status }) => status)).toEqual(['failed', 'failed', 'completed']);
    expect(scene.runs()[1]).toMatchObject({ errorSummary: 'its supervisor died' });
    expect(scene.said('RUN_START')).toHaveLength(3);
    expect(scene.said('RUN_STOP', 'RUN_CRASH')).toHaveLength(3);
    expect(processesOf(scene.folder)).toEqual([]);
  });

  test('with a new start instead: the old agent is ended, and its run is reported as over', async () => {
    const scene = taskLoopScene({ play: FIRST_WAITS });
    const loop = scene.start();
    await scene.logged('at gate 1/work/1');
    await until(() => scene.said('RUN_START').length === 1);
    loop.signal('SIGKILL');
    await loop.exited;
    scene.write('later', '');
    expect(await scene.runTask()).toMatchObject({ code: 0 });
    expect(scene.runs()).toMatchObject([
      { status: 'failed', errorSummary: 'its supervisor died' },
      { status: 'completed' },
    ]);
    expect(processesOf(scene.folder)).toEqual([]);
  });
});

describe('ralph task stop', () => {
  test('ends a running supervisor and its agent', async () => {
    const scene = taskLoopScene({ play: 'at_gate' });
    const loop = await running(scene);
    const [run] = scene.runs();
    expect(await scene.stop()).toMatchObject({ code: 0, stdout: `Stopped run ${run?.runId} (PID ${run?.pid})\n` });
    expect(await loop.exited).toMatchObject({ code: 130 });
    expect(processesOf(scene.folder)).toEqual([]);
    expect(scene.runs()).toMatchObject([{ status: 'stopped' }]);
    expect(readFileSync(taskFile.stopRequested(scene.task), 'utf8')).toMatch(/^\d{4}-\d{2}-\d{2}T/);
  });

  test('with --no-restart, the task is not started again until a user resumes it', async () => {
    const scene = taskLoopScene({ play: FIRST_WAITS });
    const loop = await running(scene);
    expect(await scene.stop('--no-restart')).toMatchObject({ code: 0 });
    await loop.exited;
    expect(readFileSync(taskFile.stopRequested(scene.task), 'utf8')).toBe('permanent\n');
    scene.write('later', '');
    const { code, stderr } = await scene.runTask();
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `error: task ${TASK} was stopped with --no-restart
hint: To continue, run: ralph task resume --project ${PROJECT} --task ${TASK}\n`,
    });
    expect(await scene.resume()).toMatchObject({ code: 0 });
    expect(existsSync(taskFile.stopRequested(scene.task))).toBe(false);
    // This also works when nothing runs.
    expect(await scene.stop('--no-restart')).toMatchObject({ code: 0, stdout: `No active run of ${TASK}\n` });
    expect(await scene.runTask()).toMatchObject({ code: 2 });
  });

  test('ends the agent of a supervisor that was killed, and reports its end', async () => {
    const scene = taskLoopScene({ play: 'at_gate' });
    const loop = await running(scene);
    loop.signal('SIGKILL');
    await loop.exited;
    const { code, stdout } = await scene.stop();
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Stopped run /);
    expect(processesOf(scene.folder)).toEqual([]);
    expect(scene.runs()).toMatchObject([{ status: 'failed', errorSummary: 'its supervisor died' }]);
  });

  test('names a supervisor that does not react; --force ends it with its agent', async () => {
    const scene = taskLoopScene({ play: 'at_gate' });
    const loop = await running(scene);
    loop.signal('SIGSTOP');
    const options = { root: { path: `${scene.state}/ralph` }, permanent: false, withinMs: 200 };
    await expect(stopTask(scene.task, { ...options, force: false })).rejects.toThrow(
      /^run \S+ did not stop within 0s; use --force to send SIGKILL$/,
    );
    expect(processesOf(scene.folder).length).toBeGreaterThan(1);
    await stopTask(scene.task, { ...options, force: true });
    expect(await loop.exited).toMatchObject({ code: 'SIGKILL' });
    expect(processesOf(scene.folder)).toEqual([]);
  });

  test('has nothing to stop if nothing runs; an unknown task is an error', async () => {
    const scene = taskLoopScene({ play: DONE });
    expect(await scene.stop()).toMatchObject({ code: 0, stdout: `No active run of ${TASK}\n` });
    expect(existsSync(taskFile.stopRequested(scene.task))).toBe(false);
    const { code, stderr } = await scene.stop('--task', 'task-20260220-153046-nothing');
    expect(code).toBe(2);
    expect(stderr).toContain('error: task directory not found: ');
  });

  test('a request to stop in a file ends the loop after the run', async () => {
    const scene = taskLoopScene({ play: `date -u +%Y-%m-%dT%H:%M:%SZ >"$TASK_FOLDER/STOP-REQUESTED"` });
    const { code, stderr } = await scene.runTask();
    // Stopped is not done.
    expect(code).toBe(130);
    expect(stderr).toContain('\n✗ Stopped after 1 iteration, as you asked · ');
    expect(scene.starts()).toHaveLength(1);
  });
});

describe('a run that takes too long', () => {
  test('without output: the three lines, a WARN on the bus, and another attempt', async () => {
    const scene = taskLoopScene({ play: `[ "$n" = 2 ] && { ${DONE}; exit 0; }; echo hello; at_gate` });
    const { code, stderr } = await scene.runTask('--timeout', '400ms');
    expect(code).toBe(0);
    expect(stderr).toContain(
      'Agent timeout after 400ms, killing process group\nProcess group killed, treating as failure\nRestarting agent (attempt 2/100)\n',
    );
    expect(scene.said('WARN')).toEqual(['agent job timed out after 400ms of idle output']);
    expect(scene.said('WARNING')).toEqual(['root agent failed on restart #0: timed out']);
    expect(scene.runs()).toMatchObject([{ status: 'failed', errorSummary: 'timed out' }, { status: 'completed' }]);
  });

  test('a run that prints, on stdout or stderr, is not idle', async () => {
    const play = `for i in 1 2 3 4 5 6 7 8; do sleep 0.15; [ $((i % 2)) = 0 ] && echo $i || echo $i >&2; done; ${DONE}`;
    const scene = taskLoopScene({ play });
    expect(await scene.runTask('--timeout', '800ms')).toMatchObject({ code: 0 });
    expect(scene.starts()).toHaveLength(1);
  });

  test('in total: the same lines, however much it prints', async () => {
    const scene = taskLoopScene({ play: `[ "$n" = 2 ] && { ${DONE}; exit 0; }; while :; do echo x; sleep 0.05; done` });
    const { code, stderr } = await scene.runTask('--total-timeout', '400ms');
    expect(code).toBe(0);
    expect(stderr).toContain(
      'Agent timeout after 400ms, killing process group\nProcess group killed, treating as failure\nRestarting agent (attempt 2/100)\n',
    );
    expect(scene.runs()).toMatchObject([{ status: 'failed', errorSummary: 'timed out' }, { status: 'completed' }]);
    expect(scene.said('WARN')).toEqual([]);
  });

  test('after the last attempt there is no restart', async () => {
    const scene = taskLoopScene({ play: 'at_gate' });
    const { code, stderr } = await scene.runTask('--timeout', '200ms', '--max-restarts', '1');
    expect(code).toBe(1);
    expect(stderr).toContain('Process group killed, treating as failure\n');
    expect(stderr).not.toContain('Restarting agent');
  });
});

async function running(scene: TaskLoopScene) {
  const loop = scene.start();
  await scene.logged('at gate 1/work/1');
  await until(() => scene.said('RUN_START').length === 1);
  return loop;
}
