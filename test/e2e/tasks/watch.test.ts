/** `ralph task watch` prints every change until the tasks have ended, or the timeout is over. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { tryLock } from '../../../src/state/lock.ts';
import { workTreeLock } from '../../../src/state/paths.ts';
import {
  LATER_RUN,
  makeRun,
  makeTask,
  PROJECT,
  RUN,
  runningAs,
  startLiving,
  TASKS,
} from '../../support/tasks/task-folder.ts';
import { taskScene } from '../../support/tasks/task-scene.ts';

const [A, B] = TASKS;
const WATCH = ['watch', '--project', PROJECT, '--task'];

test('prints tasks that have already ended, and exits', async () => {
  const scene = taskScene();
  makeRun(makeTask(scene.root, A), RUN);
  makeTask(scene.root, B, { done: true });
  expect(await scene.task(...WATCH, A, '--task', B)).toEqual({
    code: 0,
    stdout: [
      `Watching 2 task(s) for project "${PROJECT}":`,
      '  phase counts: active=0 blocked=0 completed=2 failed=0 pending=0',
      `  ${A.padEnd(45)} [completed] completed duration: 5m12s`,
      '    transition: unknown -> completed',
      `  ${B.padEnd(45)} [done     ] completed duration: 0m0s`,
      '    transition: unknown -> completed',
      'All tasks complete.',
      '',
    ].join('\n'),
    stderr: '',
  });
});

test('waits for a run, and for tasks that depend on it', async () => {
  const scene = taskScene();
  const agent = await startLiving();
  const folder = makeTask(scene.root, A);
  makeRun(folder, RUN, runningAs(agent));
  const other = makeTask(scene.root, B, { dependsOn: [A] });
  const watcher = scene.start(['task', ...WATCH, A, '--task', B]);
  await watcher.says('Waiting for 1 active and 1 blocked task(s)... (timeout in 30m0s)');
  writeFileSync(join(folder, 'DONE'), '');
  makeRun(folder, RUN);
  await watcher.says('transition: active -> completed');
  makeRun(other, RUN, { status: 'failed', exitCode: 1 });
  const { code, stdout } = await watcher.exited;
  // A failed task is not complete, because no other task may build on it.
  expect(code).toBe(1);
  expect(stdout).toMatch(
    /\n {4}transition: (?:blocked|pending) -> failed\nAll tasks have ended: 1 completed, 1 failed\.\n$/,
  );
});

test('keeps watching during the pause between two runs', async () => {
  const scene = taskScene();
  const folder = makeTask(scene.root, A);
  makeRun(folder, RUN, { status: 'failed', exitCode: 1 });
  // Holds the task's lock, as if this process ran its loop.
  const held = tryLock(workTreeLock({ path: join(scene.home, '.local/state/ralph') }, folder), 'test');
  const watcher = scene.start(['task', ...WATCH, A, '--json']);
  await watcher.says('"status":"running"');
  await watcher.says('"all_done":false');
  if (held.got) held.lock.release();
  const { code, stdout } = await watcher.exited;
  expect(code).toBe(1);
  const looks = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as object);
  expect(looks.at(-1)).toEqual({
    tasks: [{ task_id: A, status: 'failed', elapsed: 312, done: true }],
    all_done: true,
  });
});

test('watches a real loop across its restarts', async () => {
  const scene = taskScene();
  const agent = join(scene.home, 'agent');
  const play =
    '#!/bin/sh\n[ -e "$HOME/second" ] && echo > "$JRUN_TASK_FOLDER/DONE" && exit 0\necho > "$HOME/second"\nexit 1\n';
  writeFileSync(agent, play, { mode: 0o755 });
  const which = ['--project', PROJECT, '--task', A];
  const loop = scene.start(['task', 'run', ...which, '--agent', agent, '--prompt', 'Work.', '--restart-delay', '1s']);
  const { code, stdout } = await scene.task(...WATCH, A, '--json');
  expect(code).toBe(0);
  expect(await loop.exited).toMatchObject({ code: 0 });
  const last = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as object;
  expect(last).toMatchObject({ tasks: [{ task_id: A, status: 'completed', done: true }], all_done: true });
  expect((await scene.task('status', '--project', PROJECT, '--json')).stdout).toContain('"state": "all_finished"');
  const { stdout: runs } = await scene.task('list', ...which, '--json');
  expect(JSON.parse(runs)).toMatchObject({
    runs: [
      { status: 'failed', exit_code: 1 },
      { status: 'completed', exit_code: 0 },
    ],
  });
  expect((await scene.bus('read', ...which)).stdout).toContain(
    '(INFO) task completed (DONE marker present, no active children)',
  );
});

test('a task whose loop gave up has failed, even if its last run exited with 0', async () => {
  const scene = taskScene();
  const which = ['--project', PROJECT, '--task', A];
  const run = ['task', 'run', ...which, '--agent', '/bin/true', '--prompt', 'Work.', '--max-restarts', '1'];
  expect(await scene.start([...run, '--restart-delay', '1ms']).exited).toMatchObject({ code: 1 });
  const { code, stdout } = await scene.task(...WATCH, A);
  expect(code).toBe(1);
  expect(stdout).toMatch(/All tasks have ended: 1 failed\.\n$/);
});

test('a task that does not exist is an error', async () => {
  const scene = taskScene();
  makeTask(scene.root, A);
  const { code, stderr } = await scene.task(...WATCH, B);
  expect(code).toBe(1);
  expect(stderr).toContain(`error: task directory not found: ${join(scene.root, PROJECT, B)}\n`);
});

test('names each unreadable file once, and keeps watching', async () => {
  const scene = taskScene();
  const folder = makeTask(scene.root, A);
  const info = join(makeRun(folder, RUN), 'run-info.yaml');
  writeFileSync(info, '{');
  const watcher = scene.start(['task', ...WATCH, A]);
  await watcher.says('[unknown  ] pending');
  makeRun(folder, LATER_RUN);
  const { code, stderr } = await watcher.exited;
  expect(code).toBe(0);
  expect(stderr.match(/warning: cannot read /g)).toHaveLength(1);
  expect(stderr).toContain(info);
});

test('without --task, watches all tasks of the project that have not ended', async () => {
  const scene = taskScene();
  makeRun(makeTask(scene.root, A), LATER_RUN);
  makeTask(scene.root, 'task-20260220-153059-never-begun');
  expect(await scene.task('watch', '--project', PROJECT)).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Watching 0 task\(s\).*All tasks complete\.\n$/s),
  });
});

test('exits with an error after the timeout', async () => {
  const scene = taskScene();
  makeTask(scene.root, A);
  const { code, stdout, stderr } = await scene.task(...WATCH, A, '--timeout', '0');
  expect({ code, stderr }).toEqual({ code: 1, stderr: 'error: timeout after 0s: not all tasks completed\n' });
  expect(stdout).toContain('Waiting for 0 active and 0 blocked task(s)... (timeout in 0s)\n');
});

test.each([
  [['watch', '--task', A], '--project is required'],
  [[...WATCH, '../x'], 'invalid task ID "../x"'],
])('%j is refused', async (args, message) => {
  expect(await taskScene().task(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
});
