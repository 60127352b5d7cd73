/** `ralph task output`: the output of runs, on a pipe, on a terminal, and while they are running. */
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startProgram } from '../../support/programs/program.ts';
import { makeScene, ROOT } from '../../support/scene.ts';
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
import { openTerminal } from '../../support/terminal/terminal.ts';

const [A] = TASKS;
const WHICH = ['--project', PROJECT, '--task', A];

/** A task with one run, which has these files. */
function withRun(files: Readonly<Record<string, string>>, info = {}): TaskScene & { readonly run: string } {
  const scene = taskScene();
  const run = makeRun(makeTask(scene.root, A), RUN, info);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(run, name), text);
  return { ...scene, run };
}

const FILES = {
  'output.md': 'the answer',
  'agent-stdout.txt': 'printed\n',
  'agent-stderr.txt': 'complained\n',
  'prompt.md': 'asked\n',
};

describe('a run that has ended', () => {
  test.each([
    [[], 'the answer\n'],
    [['--file', 'stdout'], 'printed\n'],
    [['--file', 'stderr'], 'complained\n'],
    [['--file', 'prompt'], 'asked\n'],
    [['-f'], 'the answer\n'],
  ])('%j prints %j', async (args, expected) => {
    const { task } = withRun(FILES);
    expect(await task('output', ...WHICH, ...args)).toEqual({ code: 0, stdout: expected, stderr: '' });
  });

  test('without output.md shows its stdout', async () => {
    const { task } = withRun({ 'agent-stdout.txt': 'printed\n' });
    expect((await task('output', ...WHICH)).stdout).toBe('printed\n');
  });

  test('is the newest one, the one of --run, or the one of --run-dir', async () => {
    const { task, root, run } = withRun({ 'output.md': 'first\n' });
    writeFileSync(join(makeRun(join(root, PROJECT, A), LATER_RUN), 'output.md'), 'second\n');
    expect((await task('output', ...WHICH)).stdout).toBe('second\n');
    expect((await task('output', ...WHICH, '--run', RUN)).stdout).toBe('first\n');
    expect((await task('output', '--run-dir', run)).stdout).toBe('first\n');
  });

  test.each([
    [1, 'c\n'],
    [2, 'b\nc\n'],
    [3, 'a\nb\nc\n'],
    [99, 'a\nb\nc\n'],
    [0, 'a\nb\nc\n'],
  ])('--tail %d', async (tail, expected) => {
    for (const text of ['a\nb\nc\n', 'a\nb\nc']) {
      const { task } = withRun({ 'output.md': text });
      expect((await task('output', ...WHICH, '--tail', String(tail))).stdout).toBe(expected);
    }
  });

  test('has its output written to a pipe byte for byte, however long it is', async () => {
    const text = `${'\u001b[31mred\u001b[0m é '.repeat(200_000)}\n`;
    const { task } = withRun({ 'output.md': text });
    const { stdout } = await task('output', ...WHICH);
    expect(stdout === text).toBe(true);
    expect((await task('output', ...WHICH, '--tail', '1')).stdout === text).toBe(true);
  });

  test.each([
    [['--project', PROJECT], '--task is required when --run-dir is not specified', 2],
    [[], '--project is required when --run-dir is not specified', 2],
    [[...WHICH, '--run', 'none'], `run none not found for project ${PROJECT} task ${A}`, 1],
    [['--project', 'other', '--task', A], `no runs found for project other task ${A}`, 1],
    [[...WHICH, '--file', 'x'], 'unknown --file value "x": must be output, stdout, stderr, or prompt', 2],
    [[...WHICH, '--file', 'stderr'], 'file not found: ', 1],
    [[...WHICH], '(also tried agent-stdout.txt)', 1],
    [['--run-dir', 'nowhere'], 'run directory ', 1],
    [[...WHICH, '--tail', '-1'], '--tail must be a whole number such as 20, or 0 for all, got "-1"', 2],
  ])('%j is refused', async (args, message, code) => {
    const { task } = withRun({});
    expect(await task('output', ...args)).toMatchObject({ code, stderr: expect.stringContaining(message) });
  });
});

describe('a run that is still running', () => {
  test('is followed from its last lines until it ends', async () => {
    const agent = await startLiving();
    const { start, run } = withRun({ 'agent-stdout.txt': 'one\ntwo\n' }, runningAs(agent));
    const reader = start(['task', 'output', ...WHICH, '-f', '--tail', '1']);
    await reader.says('two\n');
    appendFileSync(join(run, 'agent-stdout.txt'), 'three\n');
    await reader.says('three\n');
    appendFileSync(join(run, 'agent-stdout.txt'), 'four');
    makeRun(join(run, '../..'), RUN, { exitCode: 0 });
    expect(await reader.exited).toEqual({ code: 0, stdout: 'two\nthree\nfour\n', stderr: '' });
  });

  test('is not followed any longer once its process has died', async () => {
    const agent = await startLiving();
    const { start } = withRun({ 'agent-stderr.txt': 'one\n' }, runningAs(agent));
    const reader = start(['task', 'output', ...WHICH, '--file', 'stderr', '-f']);
    await reader.says('one\n');
    await agent.end();
    expect(await reader.exited).toEqual({ code: 0, stdout: 'one\n', stderr: '' });
  });

  test('is waited for if it has written nothing yet', async () => {
    const agent = await startLiving();
    const { start, run } = withRun({}, runningAs(agent));
    const reader = start(['task', 'output', ...WHICH, '-f']);
    mkdirSync(join(run, 'other'));
    writeFileSync(join(run, 'agent-stdout.txt'), 'at last\n');
    await reader.says('at last\n');
    await agent.end();
    expect(await reader.exited).toMatchObject({ code: 0, stdout: 'at last\n' });
  });

  test('is reported if it ends without any output', async () => {
    const agent = await startLiving();
    const { start } = withRun({}, runningAs(agent));
    const reader = start(['task', 'output', ...WHICH, '-f']);
    await agent.end();
    const { code, stderr } = await reader.exited;
    expect(code).toBe(1);
    expect(stderr).toMatch(/file not found: .*agent-stdout\.txt/);
  });

  test('is followed only as long as the pipe has a reader', async () => {
    const agent = await startLiving();
    const { home, run } = withRun({ 'agent-stdout.txt': 'one\n' }, runningAs(agent));
    const line = `"$0" "$1" task output ${WHICH.join(' ')} -f | { read -r a; echo "$a"; read -r b; echo "$b"; }; echo over`;
    const reader = startProgram(['sh', '-c', line, process.execPath, join(ROOT, 'bin/ralph.cjs')], {
      env: { PATH: process.env.PATH, HOME: home },
    });
    await reader.says('one\n');
    appendFileSync(join(run, 'agent-stdout.txt'), 'two\n');
    await reader.says('two\n');
    // The program notices only when it writes that the reader has gone.
    const more = setInterval(() => appendFileSync(join(run, 'agent-stdout.txt'), 'three\n'), 50);
    onTestFinished(() => clearInterval(more));
    expect(await reader.exited).toMatchObject({ stdout: 'one\ntwo\nover\n', stderr: '' });
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('is not affected when %s ends the command', async (signal) => {
    const agent = await startLiving();
    const { start } = withRun({ 'agent-stdout.txt': 'one\n' }, runningAs(agent));
    const reader = start(['task', 'output', ...WHICH, '-f']);
    await reader.says('one\n');
    reader.signal(signal);
    expect(await reader.exited).toEqual({ code: 0, stdout: 'one\n', stderr: '' });
    expect(() => process.kill(agent.pid, 0)).not.toThrow();
  });
});

describe('on a terminal', () => {
  test('control sequences are removed and keys masked', async () => {
    const scene = makeScene({ play: '', env: { MY_API_KEY: 'open-sesame-open-sesame' } });
    const root = join(scene.folder, '.run-agent/runs');
    const text = '\u001b[2J\u001b]0;title\u0007\u001b[31mred\u001b[0m open-sesame-open-sesame \u009b1mend\n';
    writeFileSync(join(makeRun(makeTask(root, A), RUN), 'output.md'), `${text}last`);
    const terminal = openTerminal(scene, `ralph task output --project ${PROJECT} --task ${A}`);
    const { code, screen } = await terminal.ended();
    expect(code).toBe(0);
    expect(screen).toMatch(/^red \*\*\* end\nlast$/m);
    expect(terminal.colors()).toMatch(/^red \*\*\* end$/m);
  });
});
