/** `ralph task list` on task folders as loops leave them. */
import { chmodSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { AS_ANYBODY } from '../../bad-input/faults.ts';
import { testFolder } from '../../support/folder.ts';
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

/** Sets the time of the last change in a folder. */
function lastTouched(folder: string, at: string): void {
  utimesSync(folder, new Date(at), new Date(at));
}

describe('list', () => {
  test('without a project lists the projects, and no other files or folders', async () => {
    const scene = taskScene();
    makeTask(scene.root, A);
    makeTask(scene.root, B, {}, 'another');
    mkdirSync(join(scene.root, '_audit'));
    writeFileSync(join(scene.root, 'file'), '');
    expect(await scene.task('list')).toEqual({ code: 0, stdout: `another\n${PROJECT}\n`, stderr: '' });
    const { stdout } = await scene.task('list', '--json');
    expect(JSON.parse(stdout)).toEqual({ projects: ['another', PROJECT] });
  });

  test('shows a table of the tasks of a project', async () => {
    const scene = taskScene();
    const folder = makeTask(scene.root, A, { done: true });
    makeRun(folder, RUN, { status: 'failed', exitCode: 1 });
    makeRun(folder, LATER_RUN);
    makeTask(scene.root, B, { dependsOn: [C] });
    makeTask(scene.root, C);
    for (const task of TASKS) lastTouched(join(scene.root, PROJECT, task), '2026-02-20T16:00:30Z');
    const { code, stdout, stderr } = await scene.task('list', '--project', PROJECT);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(
      [
        'TASK_ID                       RUNS  LATEST_STATUS  DONE  BLOCKED_BY                    LAST_ACTIVITY',
        `${A}    2     completed      DONE  -                             2026-02-20 16:00`,
        `${B}    0     blocked        -     ${C}  2026-02-20 16:00`,
        `${C}  0     -              -     -                             2026-02-20 16:00`,
        '',
      ].join('\n'),
    );
  });

  test('shows the same as JSON', async () => {
    const scene = taskScene();
    makeRun(makeTask(scene.root, A), RUN);
    makeTask(scene.root, B, { dependsOn: [A] });
    for (const task of [A, B]) lastTouched(join(scene.root, PROJECT, task), '2026-02-20T16:00:30Z');
    const { stdout } = await scene.task('list', '--project', PROJECT, '--json');
    const base = { done: false, last_activity: '2026-02-20T16:00:30Z' };
    expect(JSON.parse(stdout)).toEqual({
      tasks: [
        { task_id: A, runs: 1, latest_status: 'completed', state: 'completed', ...base },
        { task_id: B, runs: 0, latest_status: 'blocked', state: 'blocked', ...base, depends_on: [A], blocked_by: [A] },
      ],
    });
  });

  test('shows the runs of a task, with their duration, and which are still running', async () => {
    const scene = taskScene();
    const folder = makeTask(scene.root, A);
    makeRun(folder, RUN, { status: 'failed', exitCode: 3 });
    const startTime = Date.now();
    makeRun(folder, LATER_RUN, { ...runningAs(await startLiving()), startTime });
    const { stdout } = await scene.task('list', '--project', PROJECT, '--task', A);
    expect(stdout).toBe(
      [
        'RUN_ID                      STATUS   EXIT_CODE  STARTED              DURATION',
        `${RUN}  failed   3          2026-02-20 15:30:45  5m12s`,
        `${LATER_RUN}  running  -1         ${new Date(startTime).toISOString().slice(0, 19).replace('T', ' ')}  running`,
        '',
      ].join('\n'),
    );
  });

  test.each([
    ['running', [B]],
    ['ACTIVE', [B]],
    ['done', [A]],
    ['all_finished', [A]],
    ['partial_failure', [B]],
    ['pending', [C]],
    ['queued', [C]],
    ['failed', []],
  ])('--status %s', async (status, expected) => {
    const scene = taskScene();
    makeTask(scene.root, A, { done: true });
    const folder = makeTask(scene.root, B);
    makeRun(folder, RUN, { status: 'failed', exitCode: 1 });
    makeRun(folder, LATER_RUN, runningAs(await startLiving()));
    makeTask(scene.root, C);
    const { stdout, stderr } = await scene.task('list', '--project', PROJECT, '--status', status, '--json');
    expect(stderr).toBe('');
    const { tasks } = JSON.parse(stdout) as { tasks: { task_id: string }[] };
    expect(tasks.map(({ task_id }) => task_id)).toEqual(expected);
  });

  test('warns about an unknown status, and shows all tasks', async () => {
    const scene = taskScene();
    makeTask(scene.root, A);
    const { code, stdout, stderr } = await scene.task('list', '--project', PROJECT, '--status', 'odd');
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'warning: unknown --status filter "odd"; showing all tasks\n',
    });
    expect(stdout).toContain(A);
  });

  test.each([
    [['--task', A], '--task requires --project', 2],
    [['--project', 'none'], 'project directory not found: ', 1],
    [['--project', '../up'], 'invalid project ID "../up": must not contain path separators', 2],
    [['--project', PROJECT, '--task', 'x/y'], 'invalid task ID "x/y"', 2],
    [['--project', PROJECT, '--task', C], 'task directory not found: ', 1],
    [['--project', PROJECT, '--task', A], `no runs found for project ${PROJECT} task ${A}`, 1],
    [['--root', 'nowhere'], 'root directory not found: ', 1],
    [['--drift-after', 'soon'], 'must be a duration such as', 2],
  ])('%j is refused', async (args, message, code) => {
    const scene = taskScene();
    makeTask(scene.root, A);
    const exited = await scene.task('list', ...args);
    expect(exited).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) });
  });
});

describe('a run-info that cannot be read', () => {
  test('is shown as unknown, named in a warning, and does not hide the others', async () => {
    const scene = taskScene();
    const broken = makeTask(scene.root, A);
    writeFileSync(join(makeRun(broken, RUN), 'run-info.yaml'), '\u0000: : {');
    makeRun(makeTask(scene.root, B), RUN);
    const info = join(broken, 'runs', RUN, 'run-info.yaml');
    for (const args of [['list'], ['status'], ['list', '--task', A]]) {
      const { code, stdout, stderr } = await scene.task(...args, '--project', PROJECT);
      expect(code).toBe(0);
      expect(stdout).toMatch(/unknown/);
      expect(stderr).toContain(`warning: cannot read ${info}: `);
    }
    const { stdout } = await scene.task('status', '--project', PROJECT, '--concise');
    expect(stdout).toBe(`${A}\tunknown\t-\t${RUN}\tfalse\t-\n${B}\tcompleted\t0\t${RUN}\tfalse\tfalse\n`);
  });

  test('is skipped in favour of the previous run if it does not exist', async () => {
    const scene = taskScene();
    const folder = makeTask(scene.root, A);
    makeRun(folder, RUN);
    mkdirSync(join(folder, 'runs', LATER_RUN));
    const { stdout, stderr } = await scene.task('status', '--project', PROJECT, '--concise');
    expect({ stdout, stderr }).toEqual({ stdout: `${A}\tcompleted\t0\t${RUN}\tfalse\tfalse\n`, stderr: '' });
  });
});

describe.each(['runs', 'DONE'])('a task whose %s is a link to itself', (name) => {
  test('is shown as unreadable, named in a warning, and does not hide the others', async () => {
    const scene = taskScene();
    const folder = makeTask(scene.root, A);
    symlinkSync(name, join(folder, name));
    makeRun(makeTask(scene.root, B, { done: true }), RUN);
    const warning = `warning: cannot read ${join(folder, name)}: too many symbolic links\n`;
    const status = await scene.task('status', '--project', PROJECT, '--concise', '--activity');
    expect(status).toMatchObject({ code: 0, stderr: warning });
    expect(status.stdout).toMatch(new RegExp(`^${A}\tunreadable\t-\t-\tfalse\t.*\n${B}\tcompleted\t`));
    const list = await scene.task('list', '--project', PROJECT, '--json');
    expect(list).toMatchObject({ code: 0, stderr: warning });
    expect(JSON.parse(list.stdout)).toMatchObject({
      tasks: [
        { task_id: A, latest_status: 'unreadable', state: 'unreadable' },
        { task_id: B, latest_status: 'completed' },
      ],
    });
    const watch = await scene.task('watch', '--project', PROJECT, '--task', A, '--task', B);
    expect(watch).toMatchObject({ code: 1, stderr: warning });
    expect(watch.stdout).toMatch(/\nAll tasks have ended: 1 completed, 1 unreadable\.\n$/);
    // Without task names, too, because it is unknown whether it is complete.
    const all = await scene.task('watch', '--project', PROJECT);
    expect(all).toMatchObject({ code: 1, stdout: expect.stringMatching(/\nAll tasks have ended: 1 unreadable\.\n$/) });
    expect(await scene.task('delete', '--project', PROJECT, '--task', A)).toMatchObject({
      code: 1,
      stderr: `error: task ${A} has files that cannot be read; use --force to delete anyway\n`,
    });
    const gc = await scene.task('gc', '--older-than', '0', '--delete-done-tasks');
    expect(gc).toMatchObject({ code: 0, stderr: warning });
    expect(gc.stdout).toContain(`deleting task dir ${B} (DONE + empty)\nDeleted 1 runs`);
  });
});

test('a task whose folder cannot be entered is shown as unreadable, without made-up values', async () => {
  const scene = taskScene();
  const folder = makeTask(scene.root, A);
  makeRun(makeTask(scene.root, B), RUN);
  chmodSync(folder, 0);
  onTestFinished(() => chmodSync(folder, 0o755));
  const task = (...args: string[]) =>
    scene.start(['task', ...args, '--project', PROJECT], { front: AS_ANYBODY }).exited;
  const list = await task('list');
  expect(list.stdout).toMatch(new RegExp(`^${A} +0 +unreadable +- +- +-\n${B} +1 +completed `, 'm'));
  const warnings = list.stderr.trimEnd().split('\n');
  expect(warnings).toContain(`warning: cannot read ${join(folder, 'TASK-CONFIG.yaml')}: permission denied`);
  for (const warning of warnings) expect(warning).toMatch(/^warning: cannot read \S+: permission denied$/);
  expect(JSON.parse((await task('list', '--json')).stdout)).toMatchObject({ tasks: [{ last_activity: '' }, {}] });
  expect((await task('status', '--concise')).stdout).toMatch(new RegExp(`^${A}\tunreadable\t.*\n${B}\tcompleted\t`));
  expect(await task('gc', '--older-than', '0')).toMatchObject({ code: 0, stderr: list.stderr });
});

describe('the default root and project', () => {
  test('come from the current run, or else from the current directory', async () => {
    const scene = taskScene();
    const elsewhere = testFolder();
    const folder = makeTask(elsewhere, A, {}, 'there');
    makeRun(folder, RUN);
    const list = (how: object): Promise<string> =>
      scene.start(['task', 'list', '--json'], how).exited.then(({ stdout }) => stdout);
    const tasks = expect.stringContaining(A);
    expect(await list({ env: { JRUN_TASK_FOLDER: folder } })).toEqual(tasks);
    expect(await list({ cwd: join(folder, 'runs', RUN) })).toEqual(tasks);
    expect(await list({ cwd: join(elsewhere, 'there') })).toEqual(tasks);
    expect(await list({ cwd: elsewhere })).toBe('{\n  "projects": []\n}\n');
    const other = scene.start(['task', 'list', '--root', scene.root], { env: { JRUN_TASK_FOLDER: folder } });
    expect(await other.exited).toMatchObject({ code: 0, stdout: '' });
  });

  test('links to folders are not tasks', async () => {
    const scene = taskScene();
    makeTask(scene.root, A);
    symlinkSync(makeTask(testFolder(), B), join(scene.root, PROJECT, B));
    expect((await scene.task('status', '--project', PROJECT, '--concise')).stdout).toBe(`${A}\t-\t-\t-\tfalse\t-\n`);
  });
});
