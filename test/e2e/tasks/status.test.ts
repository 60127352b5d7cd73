/** `ralph task status`, and what `--activity` adds, on task folders as loops leave them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
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

const [A, B, C] = TASKS;
const MINUTE = 60_000;

function entry(type: string, at: Date, body: string): string {
  return `---\nmsg_id: MSG-${at.getTime()}\nts: ${at.toISOString()}\ntype: ${type}\nproject_id: ${PROJECT}\n---\n${body}\n\n`;
}

describe('status', () => {
  test('of a task that is done is completed, however its last run ended', async () => {
    const scene = taskScene();
    const folder = makeTask(scene.root, A, { done: true });
    makeRun(folder, RUN);
    makeRun(folder, LATER_RUN, { status: 'failed', exitCode: 1 });
    const { stdout } = await scene.task('status', '--project', PROJECT, '--concise');
    expect(stdout).toBe(`${A}\tcompleted\t1\t${LATER_RUN}\ttrue\tfalse\n`);
    // The status of the run itself does not change.
    expect((await scene.task('list', '--project', PROJECT, '--task', A)).stdout).toMatch(/failed +1 /);
  });

  test('of a task whose loop waits between two runs is running', async () => {
    const scene = taskScene();
    const folder = makeTask(scene.root, A);
    makeRun(folder, RUN, { status: 'failed', exitCode: 1 });
    const lock = workTreeLock({ path: join(scene.home, '.local/state/ralph') }, folder);
    const held = tryLock(lock, 'test');
    onTestFinished(() => {
      if (held.got) held.lock.release();
    });
    const { stdout } = await scene.task('status', '--project', PROJECT, '--concise');
    expect(stdout).toBe(`${A}\trunning\t1\t${RUN}\tfalse\tfalse\n`);
    expect((await scene.task('list', '--project', PROJECT, '--status', 'active')).stdout).toContain(A);
  });

  test('shows the status of each task, and whether its process is alive', async () => {
    const scene = taskScene();
    makeRun(makeTask(scene.root, A), RUN, runningAs(await startLiving()));
    makeRun(makeTask(scene.root, B), RUN, { status: 'running' });
    makeTask(scene.root, C, { done: true });
    const { stdout } = await scene.task('status', '--project', PROJECT);
    expect(stdout).toBe(
      [
        'TASK_ID                       STATUS   EXIT_CODE  LATEST_RUN                  DONE   PID_ALIVE  BLOCKED_BY',
        `${A}    running  -1         ${RUN}  false  true       -`,
        `${B}    failed   -1         ${RUN}  false  false      -`,
        `${C}  done     -          -                           true   -          -`,
        '',
      ].join('\n'),
    );
  });

  test('of a task whose older run is still alive is running', async () => {
    const scene = taskScene();
    const folder = makeTask(scene.root, A);
    makeRun(folder, RUN, runningAs(await startLiving()));
    makeRun(folder, LATER_RUN);
    const { stdout } = await scene.task('status', '--project', PROJECT, '--concise');
    expect(stdout).toBe(`${A}\trunning\t-1\t${RUN}\tfalse\ttrue\n`);
  });

  test('of one task can be shown as JSON', async () => {
    const scene = taskScene();
    makeRun(makeTask(scene.root, A, { done: true }), RUN, { status: 'stopped', exitCode: 42 });
    makeTask(scene.root, B);
    const { stdout } = await scene.task('status', '--project', PROJECT, '--task', A, '--json');
    expect(JSON.parse(stdout)).toEqual({
      tasks: [
        {
          task_id: A,
          status: 'completed',
          state: 'all_finished',
          exit_code: 42,
          latest_run: RUN,
          done: true,
          pid_alive: false,
        },
      ],
    });
  });

  test('says so if there is nothing to show', async () => {
    const scene = taskScene();
    makeTask(scene.root, A);
    const concise = ['status', '--project', PROJECT, '--concise', '--status'];
    expect((await scene.task(...concise, 'failed')).stdout).toBe(
      `No status rows matched --status "failed" in project ${PROJECT}.\n`,
    );
    expect((await scene.task(...concise, 'failed', '--task', A)).stdout).toBe(
      `No status rows matched --status "failed" for task ${A}.\n`,
    );
    mkdirSync(join(scene.root, 'empty'));
    expect((await scene.task('status', '--project', 'empty', '--concise')).stdout).toBe(
      'No status rows found in project empty.\n',
    );
  });

  test.each([
    [[], '--project is required'],
    [['--project', PROJECT, '--json', '--concise'], '--concise cannot be used with --json'],
  ])('%j is refused', async (args, message) => {
    expect(await taskScene().task('status', ...args)).toMatchObject({ code: 2, stderr: `error: ${message}\n` });
  });
});

describe('--activity', () => {
  test('shows the last message and whether a running task drifts', async () => {
    const scene = taskScene();
    const now = Date.now();
    const bus = [
      entry('FACT', new Date(now - 90 * MINUTE), 'found it'),
      entry('PROGRESS', new Date(now - MINUTE), 'still\n  at   it \u001b[31mred'),
    ];
    const folder = makeTask(scene.root, A, { bus: bus.join('') });
    const run = makeRun(folder, RUN, runningAs(await startLiving()));
    writeFileSync(join(run, 'agent-stdout.txt'), 'x');
    const { stdout } = await scene.task('status', '--project', PROJECT, '--activity', '--json');
    const { tasks } = JSON.parse(stdout) as { tasks: { activity: object }[] };
    expect(tasks[0]?.activity).toMatchObject({
      latest_bus_message: { type: 'PROGRESS', body_preview: 'still at it \u001b[31mred' },
      analysis_drift_risk: true,
      drift_threshold_seconds: 1200,
      drift_reason: expect.stringMatching(/^no meaningful bus signal for 1h30m\d+s$/),
    });
    const calm = await scene.task('list', '--project', PROJECT, '--activity', '--drift-after', '3h0m0s');
    expect(calm.stdout).toMatch(/LAST_BUS +LAST_OUTPUT +MEANINGFUL_AGE +DRIFT_RISK +DRIFT_REASON\n/);
    expect(calm.stdout).toMatch(/ 1h30m\d+s +ok +last meaningful bus signal 1h30m\d+s ago\n/);
  });

  test('shows no drift risk for a task that is not running or has no bus', async () => {
    const scene = taskScene();
    makeTask(scene.root, A);
    const { stdout } = await scene.task('status', '--project', PROJECT, '--activity', '--concise');
    expect(stdout).toBe(`${A}\t-\t-\t-\tfalse\t-\t-\tfalse\t-\t-\t-\t-\n`);
  });
});
