/** `ralph attach` for the agent of a worker. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startProgram } from '../support/programs/program.ts';
import { ROOT } from '../support/scene.ts';
import { ralphScene } from './ralph-scene.ts';

test('the loop says how to attach to its window, and ralph attach names the window of the worker', async () => {
  const scene = ralphScene('gate over; exit 0');
  const loop = scene.spawn(['--max-iterations', '1']);
  await loop.says('[ralph] agent: to attach: tmux -S ');
  const ralph = (...args: string[]) =>
    startProgram([process.execPath, join(ROOT, 'bin/ralph.cjs'), ...args], { cwd: scene.work, env: scene.env }).exited;
  const { code, stdout } = await ralph('attach', 'agent');
  expect(code).toBe(0);
  const [socket, session] = scene.tmux('display-message', '-p', '#{socket_path} #{session_id}').trim().split(' ');
  expect(stdout).toBe(`tmux -u -S ${socket} attach-session -t '${session}'\n`);
  scene.open('over');
  await loop.exited;
  expect(await ralph('attach', 'agent')).toMatchObject({ code: 1, stderr: expect.stringContaining('is not running') });
});
