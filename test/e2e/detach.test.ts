/** `--detach`: the command returns once the loop has begun; the loop continues without the terminal. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { localStore } from '../../src/engine/store/local-store.ts';
import { isReadable, type ReadableLoop } from '../../src/engine/store/loop-store.ts';
import { machineOf } from '../../src/views/machines.ts';
import { processesOf } from '../support/programs/processes.ts';
import { startProgram } from '../support/programs/program.ts';
import { DONE, makeScene, PROMPT, ROOT, type Scene } from '../support/scene.ts';
import { DONE as TASK_DONE, taskLoopScene } from '../support/tasks/task-loop.ts';
import { openTerminal } from '../support/terminal/terminal.ts';

const GATED = `at_gate; ${DONE}`;

async function loopOf(scene: Scene): Promise<ReadableLoop> {
  const [loop] = await localStore({ path: join(scene.state, 'ralph') }, machineOf).list();
  if (loop === undefined || !isReadable(loop)) throw new Error('there is no loop');
  return loop;
}

/** Lets the agent finish, and waits until no process of the loop is left. */
async function toItsEnd(scene: Scene): Promise<void> {
  scene.openGate();
  await scene.journalSays('"kind":"ended"');
  while (processesOf(scene.folder).length > 0) await sleep(10);
}

describe('ralph run --detach', () => {
  test('returns once the loop has begun, and prints its id and the next commands', async () => {
    const scene = makeScene({ play: GATED });
    const { code, stdout, stderr } = await scene.run('--detach');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const { id, supervisor } = await loopOf(scene);
    const short = id.slice(-8, -4);
    const lines = [
      `Loop ${short} runs in the background (${id}, pid ${supervisor?.pid}).`,
      `  ralph logs ${short} -f     follow it`,
      `  ralph stop ${short}        stop it after the current iteration`,
    ];
    expect(stdout).toContain(`${lines.join('\n')}\nIts console: ${join(scene.state, 'ralph/loops', id)}/console-`);
    // The supervisor has its own session, without a terminal.
    const seen = execFileSync('ps', ['-o', 'sid=,tty=', '-p', String(supervisor?.pid)], { encoding: 'utf8' });
    expect(seen.trim().split(/\s+/)).toEqual([String(supervisor?.pid), '?']);
    await scene.logged('at gate 1/work/1');
    await toItsEnd(scene);
    const log = /Its console: (.*)\n$/.exec(stdout)?.[1] ?? '';
    expect(readFileSync(log, 'utf8')).toContain('<response>DONE</response>');
    expect(readdirSync(join(scene.state, 'ralph/starts'))).toEqual([]);
  });

  test('the loop survives the closing of its terminal', async () => {
    const scene = makeScene({ play: GATED });
    const terminal = openTerminal(scene, 'ralph run -p x --detach');
    await terminal.ended();
    await scene.logged('at gate 1/work/1');
    terminal.close();
    await toItsEnd(scene);
    expect(scene.journal().at(-1)).toMatchObject({ result: { kind: 'ended', ending: { kind: 'done' } } });
  });

  test.each([
    ['a pipe', `printf '%s' "$TEXT" | ralph run --detach`],
    ['-f -', `printf '%s' "$TEXT" | ralph run --detach -f -`],
    ['a named pipe', `mkfifo p; printf '%s' "$TEXT" >p & ralph run --prompt-file=p --detach`],
  ])('takes the prompt from %s', async (_what, line) => {
    const scene = makeScene({ play: GATED, env: { TEXT: 'Say "hello".\n--detach' } });
    expect(await scene.shell(line)).toMatchObject({ code: 0, stderr: '' });
    await scene.logged('at gate 1/work/1');
    expect(scene.promptOf('1/work/1')).toContain('Say "hello".\n--detach');
    await toItsEnd(scene);
  });

  test('prints the error of a loop that cannot start, and exits with its code', async () => {
    const scene = makeScene({ play: DONE, settings: { guardrails: 'none' } });
    const [direct, detached] = [await scene.run(), await scene.run('--detach')];
    expect(detached).toEqual({ ...direct, stdout: '' });
    expect(detached.code).toBe(2);
    expect(readdirSync(join(scene.state, 'ralph/starts'))).toEqual([]);
  });

  test('is refused while another loop runs, and that loop continues', async () => {
    const scene = makeScene({ play: GATED });
    await scene.run('--detach');
    expect(await scene.run('--detach')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('error: a loop is already running in'),
    });
    await scene.logged('at gate 1/work/1');
    await toItsEnd(scene);
  });

  test('is refused in a rehearsal, because its model would be gone', async () => {
    const scene = makeScene({ play: DONE, env: { RALPH_REHEARSAL: 'ralph rehearse' } });
    expect(await scene.run('--detach')).toMatchObject({ code: 2, stderr: expect.stringContaining('rehearsal') });
  });
});

test('ralph resume --detach continues a loop in the background', async () => {
  const scene = makeScene({ play: GATED });
  const first = scene.ralph(['run', '-p', PROMPT]);
  await scene.logged('at gate 1/work/1');
  first.signal('SIGINT');
  await first.says('Stopping after this step');
  first.signal('SIGINT');
  await first.exited;
  expect(await scene.ralph(['resume', '--detach']).exited).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('runs in the background'),
  });
  await scene.logged('at gate 1/work/2');
  await toItsEnd(scene);
  expect(await scene.ralph(['resume', '--detach']).exited).toMatchObject({ code: 2 });
});

test('ralph task run --detach runs a task in the background, with a prompt from stdin', async () => {
  const scene = taskLoopScene({ play: `at_gate; ${TASK_DONE}` }, null);
  const words = ['task', 'run', '--detach', '--project', 'p', '--agent', scene.agent, '--prompt-file', '-'];
  const argv = [process.execPath, join(ROOT, 'bin/ralph.cjs'), ...words] as const;
  const started = startProgram([...argv], { cwd: scene.work, env: scene.env, stdin: 'Say hello.' });
  expect(await started.exited).toMatchObject({ code: 0, stderr: '' });
  await scene.logged('at gate 1/work/1');
  await toItsEnd(scene);
  expect(scene.journal().at(-1)).toMatchObject({ result: { kind: 'ended', ending: { kind: 'done' } } });
});
