/**
 * Prompts from a pipe or standard input, which can be read only once: every iteration gets the prompt, and a loop that
 * accepts only files says so at once. No loop waits for a pipe without a writer or starts an agent without a prompt.
 */
import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { storiesScene } from '../stories/scene.ts';
import { startProgram } from '../support/programs/program.ts';
import { makeScene, ROOT, type Scene } from '../support/scene.ts';
import { story } from '../support/stories/stories.ts';
import { MEANT, taskLoopScene } from '../support/tasks/task-loop.ts';
import { ralphScene } from '../swarm/ralph-scene.ts';

const WORDS = 'Do the piped work.';

/** A pipe that is written to once. */
function pipeIn(folder: string, name: string): string {
  const path = join(folder, name);
  rmSync(path, { force: true });
  execFileSync('mkfifo', [path]);
  const writer = spawn('sh', ['-c', 'printf "%s\\n" "$1" >"$0"', path, WORDS], { stdio: 'ignore' });
  onTestFinished(() => void writer.kill('SIGKILL'));
  return path;
}

function ralph({ work, env }: Pick<Scene, 'work' | 'env'>, args: readonly string[], stdin?: string) {
  return startProgram([process.execPath, join(ROOT, 'bin/ralph.cjs'), ...args], {
    cwd: work,
    env,
    detached: true,
    ...(stdin === undefined ? {} : { stdin }),
  }).exited;
}

describe.each(['a pipe', 'standard input'] as const)('a prompt from %s reaches every iteration', (source) => {
  const given = (folder: string): { readonly file: string; readonly stdin?: string } =>
    source === 'a pipe' ? { file: pipeIn(folder, 'pipe') } : { file: '-', stdin: `${WORDS}\n` };

  test('run', async () => {
    const scene = makeScene({ play: '[ "$n" = 1 ] || echo "<response>DONE</response>"' });
    const { file, stdin } = given(scene.folder);
    expect(await ralph(scene, ['run', '-f', file, '-m', '3'], stdin)).toMatchObject({ code: 0 });
    const prompts = readdirSync(join(scene.folder, 'prompts')).map((name) =>
      readFileSync(join(scene.folder, 'prompts', name), 'utf8'),
    );
    expect(prompts).toEqual([expect.stringContaining(WORDS), expect.stringContaining(WORDS)]);
  });

  test('tasks', async () => {
    const scene = taskLoopScene({ play: '[ "$n" = 1 ] || echo ok >"$TASK_FOLDER/DONE"' }, null);
    const { file, stdin } = given(scene.folder);
    const quick = ['--restart-delay', '10ms', '--child-poll-interval', '50ms', '--no-sandbox'];
    const args = ['task', 'run', ...MEANT, '--agent', scene.agent, ...quick, '--prompt-file', file];
    expect(await ralph(scene, args, stdin)).toMatchObject({ code: 0 });
    expect([0, 1].map((index) => scene.runText(index, 'prompt'))).toEqual([
      expect.stringContaining(WORDS),
      expect.stringContaining(WORDS),
    ]);
  });
});

describe('a loop that reads its prompt file in every iteration refuses a pipe, and names it', () => {
  test('swarm', async () => {
    const scene = ralphScene('echo ALL-DONE');
    pipeIn(scene.work, 'PROMPT.md');
    const { code, stdout, stderr } = await scene.spawned('--max-iterations', '2');
    expect({ code, said: `${stdout}${stderr}` }).toEqual({
      code: expect.any(Number),
      said: expect.stringMatching(/PROMPT\.md/),
    });
    expect(code).not.toBe(0);
    expect(scene.starts()).toEqual([]);
  });

  test('stories', async () => {
    const scene = storiesScene([story('US-001')], { play: 'honest approve' });
    pipeIn(join(scene.work, 'ralph'), 'prompt.md');
    const { code, stderr } = await scene.loop('-n', '2');
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('prompt.md') });
    expect(scene.starts()).toEqual([]);
  });
});

test.each([
  ['run', ['run', '-f', '-', '-m', '1']],
  ['tasks', ['task', 'run', ...MEANT, '--agent', 'true', '--prompt-file', '-']],
] as const)('%s: an empty prompt is refused before an agent starts', async (_kind, args) => {
  const scene = taskLoopScene({ play: 'true' }, null);
  const { code, stderr } = await ralph(scene, args, '\n');
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/prompt( from \S+)? is empty/) });
  expect(scene.starts()).toEqual([]);
});
