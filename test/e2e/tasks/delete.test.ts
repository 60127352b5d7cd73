/** `ralph task delete` and `ralph task gc` delete tasks and runs, but nothing that is running or outside the root. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { tryLock } from '../../../src/state/lock.ts';
import { workTreeLock } from '../../../src/state/paths.ts';
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
import { type TaskScene, taskScene } from '../../support/tasks/task-scene.ts';

const [A, B, C] = TASKS;
const WHICH = ['--project', PROJECT, '--task', A];
const LOOK_EVERY_MS = 10;
const LONG_AGO = new Date('2026-02-20T16:00:00Z');

/** Holds the task's lock, as if this process ran its loop. */
function turning(scene: TaskScene, folder: string): void {
  const lock = workTreeLock({ path: join(scene.home, '.local/state/ralph') }, folder);
  expect(tryLock(lock, 'test')).toMatchObject({ got: true });
}

/** Waits for the output of the agent in the first run. */
async function following(scene: TaskScene): Promise<string> {
  const stdout = join(scene.root, PROJECT, A, 'runs');
  for (;;) {
    const [run] = existsSync(stdout) ? readdirSync(stdout) : [];
    const file = join(stdout, run ?? '', 'agent-stdout.txt');
    const text = run !== undefined && existsSync(file) ? readFileSync(file, 'utf8') : '';
    if (text.endsWith('\n')) return text;
    await sleep(LOOK_EVERY_MS);
  }
}

describe('delete', () => {
  test('removes a task with all its runs, and nothing beside it', async () => {
    const scene = taskScene();
    const outside = testFolder();
    writeFileSync(join(outside, 'kept'), '');
    const folder = makeTask(scene.root, A);
    symlinkSync(outside, join(makeRun(folder, RUN), 'link'));
    makeTask(scene.root, B);
    expect(await scene.task('delete', ...WHICH)).toEqual({ code: 0, stdout: `Deleted task: ${A}\n`, stderr: '' });
    expect(readdirSync(join(scene.root, PROJECT))).toEqual([B]);
    expect(existsSync(join(outside, 'kept'))).toBe(true);
  });

  test.each([
    [[], `task ${A} has a running run (${RUN}); use --force to delete anyway`],
    // This run has no supervisor, so ralph cannot know that it may terminate it.
    [['--force'], `task ${A} still has a running run (${RUN}); it was not deleted`],
  ])('keeps a task that is running %j', async (force, message) => {
    const scene = taskScene();
    const agent = await startLiving();
    const folder = makeTask(scene.root, A);
    makeRun(folder, RUN, runningAs(agent));
    expect(await scene.task('delete', ...WHICH, ...force)).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: ${message}\n`,
    });
    expect(existsSync(join(folder, 'runs', RUN, 'run-info.yaml'))).toBe(true);
    expect(() => process.kill(agent.pid, 0)).not.toThrow();
  });

  test('stop does not terminate a run that no loop here started, and says so', async () => {
    const scene = taskScene();
    const agent = await startLiving();
    makeRun(makeTask(scene.root, A), RUN, runningAs(agent));
    expect(await scene.task('stop', ...WHICH)).toEqual({
      code: 1,
      stdout: '',
      stderr: `error: run ${RUN} (PID ${agent.pid}) was not started by one of your loops here; it is still running\n`,
    });
    expect(() => process.kill(agent.pid, 0)).not.toThrow();
  });

  test('with --force stops the loop and its agent first', async () => {
    const scene = taskScene();
    const agent = join(scene.home, 'agent');
    writeFileSync(agent, '#!/bin/sh\necho "at work as $$"\nexec sleep 1000\n', { mode: 0o755 });
    const loop = scene.start(['task', 'run', ...WHICH, '--agent', agent, '--prompt', 'Work.', '--cwd', scene.home]);
    const reader = await following(scene);
    const [, pid = ''] = /at work as (\d+)/.exec(reader) ?? [];
    expect(await scene.task('delete', ...WHICH)).toMatchObject({ code: 1 });
    expect(await scene.task('delete', ...WHICH, '--force')).toEqual({
      code: 0,
      stdout: `Deleted task: ${A}\n`,
      stderr: '',
    });
    expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
    await loop.exited;
    expect(existsSync(join(scene.root, PROJECT, A))).toBe(false);
  });

  test('keeps a task whose loop waits for its next run', async () => {
    const scene = taskScene();
    const folder = makeTask(scene.root, A);
    makeRun(folder, RUN, { status: 'failed', exitCode: 1 });
    turning(scene, folder);
    expect(await scene.task('delete', ...WHICH)).toMatchObject({
      code: 1,
      stderr: `error: task ${A} has a running loop; use --force to delete anyway\n`,
    });
    expect(existsSync(folder)).toBe(true);
  });

  test('deletes a task whose run claims to be running but has no process', async () => {
    const scene = taskScene();
    makeRun(makeTask(scene.root, A), RUN, { status: 'running' });
    expect(await scene.task('delete', ...WHICH)).toMatchObject({ code: 0, stderr: '' });
  });

  test('requires --force if it is unknown whether a run is running', async () => {
    const scene = taskScene();
    writeFileSync(join(makeRun(makeTask(scene.root, A), RUN), 'run-info.yaml'), '{');
    expect(await scene.task('delete', ...WHICH)).toMatchObject({ code: 1, stderr: expect.stringContaining(RUN) });
    expect(await scene.task('delete', ...WHICH, '--force')).toMatchObject({ code: 0 });
  });

  test('does not follow a link out of the root, whether task or project', async () => {
    const scene = taskScene();
    const outside = testFolder();
    const target = makeTask(outside, A);
    mkdirSync(join(scene.root, PROJECT));
    symlinkSync(target, join(scene.root, PROJECT, A));
    const refused = { code: 1, stderr: expect.stringContaining(`a link leads outside ${scene.root}`) };
    expect(await scene.task('delete', ...WHICH, '--force')).toMatchObject(refused);
    renameSync(join(scene.root, PROJECT), join(scene.root, 'aside'));
    symlinkSync(join(outside, PROJECT), join(scene.root, PROJECT));
    expect(await scene.task('delete', ...WHICH, '--force')).toMatchObject(refused);
    expect(existsSync(join(target, 'TASK.md'))).toBe(true);
  });

  test('accepts a root that is itself a link', async () => {
    const scene = taskScene();
    const folder = makeTask(scene.root, A);
    symlinkSync(scene.root, join(scene.home, 'by-link'));
    expect(await scene.task('delete', ...WHICH, '--root', 'by-link')).toMatchObject({ code: 0 });
    expect(existsSync(folder)).toBe(false);
  });

  test.each([
    [['--task', A], '--project is required', 2],
    [['--project', PROJECT], '--task is required', 2],
    [['--project', PROJECT, '--task', '..'], 'invalid task ID ".."', 2],
    [['--project', '.', '--task', A], 'invalid project ID "."', 2],
    [WHICH, `task not found: ${PROJECT}/${A}`, 1],
  ])('%j is refused', async (args, message, code) => {
    const scene = taskScene();
    const env = { JRUN_TASK_FOLDER: makeTask(scene.root, B), JRUN_PROJECT_ID: PROJECT, JRUN_TASK_ID: B };
    const { exited } = scene.start(['task', 'delete', ...args], { env });
    expect(await exited).toMatchObject({ code, stderr: expect.stringContaining(message) });
  });
});

describe('gc', () => {
  test('deletes earlier loops, but keeps the last one of a directory', async () => {
    const scene = taskScene();
    const loops = join(scene.home, '.local/state/ralph/loops');
    const run = ['task', 'run', ...WHICH, '--agent', '/bin/true', '--prompt', 'x', '--max-restarts', '1'];
    const start = async () => expect((await scene.ralph(...run, '--restart-delay', '1ms')).code).toBe(1);
    await start();
    const [first = ''] = readdirSync(loops);
    await start();
    // Ids from the same second are not ordered.
    const [last = ''] = readdirSync(loops).filter((id) => id !== first);
    expect((await scene.task('gc', '--older-than', '0', '--project', 'other-one')).code).toBe(1);
    expect(readdirSync(loops)).toHaveLength(2);
    const dry = await scene.task('gc', '--older-than', '0', '--dry-run');
    expect(dry.stdout).toContain(`[dry-run] would delete loop ${first} (task in ${join(scene.root, PROJECT, A)})\n`);
    expect(dry.stdout).toMatch(/\nWould delete 1 loop in .*\/loops, freed \d\.\d MB\n$/);
    expect((await scene.task('gc', '--older-than', '0', '--project', PROJECT)).stdout).toContain('Deleted 1 loop in ');
    expect(readdirSync(loops)).toEqual([last]);
  });

  const MINE = { startTime: Date.now(), endTime: Date.now() };

  /** Two old runs, one completed and one failed, and one from today. */
  function withRuns(): TaskScene & { readonly left: () => string[] } {
    const scene = taskScene();
    const folder = makeTask(scene.root, A);
    const old = makeRun(folder, RUN);
    writeFileSync(join(old, 'output.md'), 'x'.repeat(3 * 1024 * 1024));
    makeRun(folder, LATER_RUN, { status: 'failed', exitCode: 1 });
    makeRun(folder, '20990101-0000000000-1-1', MINE);
    return { ...scene, left: () => readdirSync(join(folder, 'runs')) };
  }

  test('deletes runs that ended more than a week ago', async () => {
    const { task, root, left } = withRuns();
    const { code, stdout, stderr } = await task('gc');
    const run = join(root, PROJECT, A, 'runs', RUN);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`deleting ${run} (status=completed, started=2026-02-20 15:30:45, size=3.0 MB)\n`);
    expect(stdout).toMatch(/\nDeleted 2 runs, freed 3\.0 MB\n$/);
    expect(left()).toEqual(['20990101-0000000000-1-1']);
  });

  test.each([
    [['--dry-run'], 3, 'Would delete 2 runs, freed 3.0 MB\n'],
    [['--keep-failed'], 2, 'Deleted 1 runs, freed 3.0 MB\n'],
    [['--older-than', '87600h0m0s'], 3, 'Deleted 0 runs, freed 0.0 MB\n'],
    [['--older-than', '0'], 0, 'Deleted 3 runs, freed 3.0 MB\n'],
    [['--project', PROJECT], 1, 'Deleted 2 runs, freed 3.0 MB\n'],
  ])('%j leaves %d', async (args, count, summary) => {
    const { task, left } = withRuns();
    const { stdout } = await task('gc', ...args);
    expect(stdout).toMatch(new RegExp(`(?:^|\\n)${summary.replaceAll('.', '\\.')}$`));
    expect(left()).toHaveLength(count);
  });

  test('--dry-run says what it would delete', async () => {
    const { task, root } = withRuns();
    const { stdout } = await task('gc', '--dry-run');
    expect(stdout).toContain(`[dry-run] would delete ${join(root, PROJECT, A, 'runs', RUN)} (status=completed, `);
  });

  test('keeps runs that are running, claim to be running, or are unreadable', async () => {
    const scene = taskScene();
    const folder = makeTask(scene.root, A, { done: true });
    makeRun(folder, RUN, runningAs(await startLiving()));
    makeRun(folder, LATER_RUN, { status: 'running' });
    const broken = makeRun(folder, 'broken');
    writeFileSync(join(broken, 'run-info.yaml'), '{');
    mkdirSync(join(folder, 'runs/orphan'));
    const { code, stdout, stderr } = await scene.task('gc', '--older-than', '0', '--delete-done-tasks');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'Deleted 0 runs, freed 0.0 MB\n' });
    expect(stderr).toContain(`warning: skip ${broken}: cannot read ${join(broken, 'run-info.yaml')}`);
    expect(stderr).toContain('warning: skipping orphaned run dir orphan (no run-info.yaml)\n');
    expect(readdirSync(join(folder, 'runs'))).toHaveLength(4);
  });

  test('deletes tasks that are done, old and empty; --dry-run lists them', async () => {
    const scene = taskScene();
    const folders = [
      makeTask(scene.root, A, { done: true }),
      makeTask(scene.root, B),
      makeTask(scene.root, C, { done: true }),
    ];
    makeRun(folders[0] ?? '', RUN);
    for (const folder of folders) utimesSync(folder, LONG_AGO, LONG_AGO);
    turning(scene, folders[2] ?? '');
    const dry = await scene.task('gc', '--delete-done-tasks', '--dry-run');
    expect(dry.stdout).toContain(`[dry-run] would delete task dir ${A} (DONE + empty)\n`);
    expect(dry.stdout).toContain('Would delete 1 task directories (DONE + empty runs)\n');
    const { stdout } = await scene.task('gc', '--delete-done-tasks');
    expect(stdout).toContain(`deleting task dir ${A} (DONE + empty)\n`);
    expect(stdout).toMatch(/\nDeleted 1 task directories \(DONE \+ empty runs\)\n$/);
    expect(readdirSync(join(scene.root, PROJECT))).toEqual([B, C]);
  });

  test('does not follow a link out of the root', async () => {
    const scene = taskScene();
    const outside = testFolder();
    const run = makeRun(makeTask(outside, A), RUN);
    const folder = makeTask(scene.root, B);
    mkdirSync(join(folder, 'runs'));
    symlinkSync(run, join(folder, 'runs', RUN));
    symlinkSync(join(outside, PROJECT, A), join(scene.root, PROJECT, A));
    symlinkSync(join(outside, PROJECT), join(scene.root, 'linked'));
    symlinkSync(join(outside, PROJECT, A, 'runs'), join(makeTask(scene.root, C), 'runs'));
    const rest = ['gc', '--older-than', '0', '--rotate-bus', '--bus-max-size', '0'];
    writeFileSync(join(outside, PROJECT, 'PROJECT-MESSAGE-BUS.md'), 'kept');
    const all = await scene.task(...rest);
    expect(all).toMatchObject({ code: 0, stdout: 'Deleted 0 runs, freed 0.0 MB\n' });
    expect(all.stderr).toMatch(/^warning: will not delete .*: a link leads outside .*\n$/);
    const linked = await scene.task(...rest, '--project', 'linked');
    expect(linked).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('a link leads outside') });
    expect(existsSync(join(outside, PROJECT, 'PROJECT-MESSAGE-BUS.md'))).toBe(true);
    expect(existsSync(join(run, 'run-info.yaml'))).toBe(true);
  });

  test('archives large buses', async () => {
    const scene = taskScene();
    const folder = makeTask(scene.root, A, { bus: 'x'.repeat(3000) });
    makeTask(scene.root, B, { bus: 'x'.repeat(10) });
    writeFileSync(join(scene.root, PROJECT, 'PROJECT-MESSAGE-BUS.md'), 'x'.repeat(3000));
    const dry = await scene.task('gc', '--rotate-bus', '--bus-max-size', '2KB', '--dry-run');
    expect(dry.stdout).toContain('[dry-run] would rotate TASK-MESSAGE-BUS.md (0.0 MB → archived)\n');
    expect(dry.stdout).toContain('Would rotate 2 message bus file(s)\n');
    expect(readdirSync(folder)).toContain('TASK-MESSAGE-BUS.md');
    const { stdout } = await scene.task('gc', '--rotate-bus', '--bus-max-size', '2KB');
    expect(stdout).toContain('Rotated PROJECT-MESSAGE-BUS.md (0.0 MB → archived)\n');
    expect(stdout).toMatch(/\nRotated 2 message bus file\(s\)\n$/);
    expect(readdirSync(folder).sort()).toEqual([
      expect.stringMatching(/^TASK-MESSAGE-BUS\.md\.\d{8}-\d{6}\.archived$/),
      'TASK.md',
    ]);
  });

  test.each([
    [['--bus-max-size', 'much'], 'invalid --bus-max-size "much"', 2],
    [['--older-than', '-5h'], 'must be a duration such as', 2],
    [['--project', 'none'], 'project directory not found: ', 1],
    [['--root', 'nowhere'], 'root directory not found: ', 1],
  ])('%j is refused', async (args, message, code) => {
    expect(await taskScene().task('gc', ...args)).toMatchObject({ code, stderr: expect.stringContaining(message) });
  });
});
