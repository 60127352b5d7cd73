/** Where `ralph run` takes its prompt from: a file, stdin, a pipe. What can be read only once is read only once. */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DONE, makeScene, PROMPT } from '../support/scene.ts';

const SECOND_TIME = `[ $n = 1 ] || ${DONE}`;

describe('a prompt that is not a regular file', () => {
  test.each([
    ['a pipe to -f -', 'echo TASK | ralph run -f -'],
    ['/dev/stdin', 'echo TASK | ralph run -f /dev/stdin'],
    ['/dev/stdin that is a file', 'echo TASK >task; ralph run -f /dev/stdin <task'],
    ['a process substitution', 'bash -c "ralph run -f <(echo TASK)"'],
    ['a FIFO whose writer comes later', 'mkfifo ff; { sleep 0.3; echo TASK >ff; } & ralph run -f ff'],
  ])('%s reaches every iteration', async (_what, line) => {
    const scene = makeScene({ play: SECOND_TIME });
    expect(await scene.shell(line)).toMatchObject({ code: 0 });
    expect(scene.promptOf('1/work/1')).toBe('TASK\n');
    expect(scene.promptOf('2/work/1')).toBe('TASK\n');
  });

  test.each([
    ['a pipe without any flag', 'echo TASK | ralph run'],
    ['a file on stdin', 'echo TASK >task; ralph run <task'],
  ])('%s reaches every iteration, with instructions for saying DONE', async (_what, line) => {
    const scene = makeScene({ play: SECOND_TIME });
    expect(await scene.shell(line)).toMatchObject({ code: 0 });
    expect(scene.promptOf('1/work/1')).toMatch(/^TASK\n\nWhen everything is done, answer <response>DONE<\/response>/);
    expect(scene.promptOf('2/work/1')).toBe(scene.promptOf('1/work/1'));
  });

  test.each([
    ['stdin', 'echo TASK | ralph run -f -', 'echo OTHER | ralph resume'],
    [
      'a file by its descriptor',
      'echo TASK >task; ralph run -f /dev/fd/3 3<task',
      'echo OTHER >task; ralph resume 3<task',
    ],
  ])('is kept with the loop: ralph resume uses it, and %s is not read again', async (_what, run, resume) => {
    const scene = makeScene({ play: 'kill -KILL $PPID; sleep 60' });
    await scene.shell(`${run}; true`);
    scene.write('play', DONE);
    expect(await scene.shell(resume)).toMatchObject({ code: 0 });
    expect(scene.promptOf('1/work/2')).toBe('TASK\n');
  });

  test('is shown by --dry-run', async () => {
    const scene = makeScene({ play: DONE });
    const { code, stdout } = await scene.shell('mkfifo ff; echo TASK >ff & ralph run --dry-run -f ff');
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringContaining('First prompt:\nTASK\n') });
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('does not make %s wait for a writer', async (signal) => {
    const scene = makeScene({ play: DONE });
    execFileSync('mkfifo', [join(scene.work, 'ff')]);
    const program = scene.ralph(['run', '-f', 'ff']);
    await opened(program.pid, join(scene.work, 'ff'));
    program.signal(signal);
    expect(await program.exited).toMatchObject({ code: 130, stderr: 'Received signal, shutting down...\n' });
    expect(scene.loops()).toEqual([]);
  });

  test.each([
    ['takes away', 'rm task', 'prompt file not found: task'],
    ['empties', ': >task', 'prompt file task is empty'],
    ['puts a FIFO in the place of', 'rm task; mkfifo task', 'cannot access prompt file: task: '],
  ])('a loop whose agent %s the prompt file continues with the text that it read last', async (_what, spoil, why) => {
    const scene = makeScene({ play: `[ $n = 1 ] && { ${spoil}; }; [ $n = 3 ] && ${DONE}; true` });
    scene.write('work/task', PROMPT);
    const { code, stderr } = await scene.ralph(['run', '-f', 'task']).exited;
    expect(code).toBe(0);
    expect(stderr.split(`warning: ${why}`)).toHaveLength(2);
    expect(stderr).toContain('; the loop continues with the text that it read last');
    expect([scene.promptOf('2/work/1'), scene.promptOf('3/work/1')]).toEqual([PROMPT, PROMPT]);
  });

  test('ralph resume needs the prompt file', async () => {
    const scene = makeScene({ play: 'rm -f task' });
    scene.write('work/task', PROMPT);
    expect((await scene.ralph(['run', '-f', 'task', '-m', '1']).exited).code).toBe(1);
    const { code, stderr } = await scene.ralph(['resume', '-m', '2']).exited;
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('error: prompt file not found: task'),
    });
    scene.write('work/task', 'Again.');
    scene.write('play', DONE);
    expect((await scene.ralph(['resume', '-m', '2']).exited).code).toBe(0);
    expect(scene.promptOf('2/work/1')).toBe('Again.');
  });

  test('settings that are a FIFO are refused at once', async () => {
    const scene = makeScene({ play: DONE });
    const { code, stderr } = await scene.shell('rm .ralph/settings.json; mkfifo .ralph/settings.json; ralph run -p x');
    expect(code).toBe(2);
    expect(stderr).toContain('error: cannot read .ralph/settings.json: ');
  });
});

describe('an empty prompt is refused', () => {
  test.each([
    ['an empty file', 'printf "" >task; ralph run -f task', 'prompt file task is empty'],
    ['nothing but blanks', 'ralph run -p "  "', 'the prompt is empty'],
    ['an empty pipe to -f -', 'printf "" | ralph run -f -', 'the prompt from stdin is empty'],
    ['an empty pipe', 'printf "" | ralph run', 'must specify prompt (--prompt or --prompt-file)'],
    ['/dev/null', 'ralph run -f /dev/null', 'the prompt from /dev/null is empty'],
    ['a directory', 'ralph run -f .', 'cannot access prompt file: .: it is a directory, not a file'],
    ['a device without an end', 'ralph run -f /dev/zero', 'it is a device'],
  ])('%s', async (_what, line, said) => {
    const scene = makeScene({ play: DONE });
    const { code, stderr } = await scene.shell(line);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`error: `) });
    expect(stderr).toContain(said);
    expect(stderr).not.toContain('this is a bug');
    expect(existsSync(join(scene.state, 'ralph/loops'))).toBe(false);
  });
});

/** Resolves when the process has the file open. */
async function opened(pid: number, path: string): Promise<void> {
  const { readdirSync, readlinkSync } = await import('node:fs');
  const { setTimeout: sleep } = await import('node:timers/promises');
  const isOpen = (): boolean =>
    readdirSync(`/proc/${pid}/fd`).some((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`) === path;
      } catch {
        // Closed while we looked.
        return false;
      }
    });
  while (!isOpen()) await sleep(10);
}
