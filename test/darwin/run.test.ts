/** `ralph run`, and the commands that people use with its loops, on the simulated Mac. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { shellQuote } from '../../src/core/text/quote-word.ts';
import { processesOf } from '../support/programs/processes.ts';
import { startProgram } from '../support/programs/program.ts';
import { DONE, makeScene, PROMPT, ROOT, type Scene, type SceneOptions } from '../support/scene.ts';
import { openTerminal } from '../support/terminal/terminal.ts';
import { makeMac } from './mac.ts';

const GATED = `at_gate; ${DONE}`;
const FIRST_GATED = `[ "$RALPH_KEY" = 1/work/1 ] && at_gate; ${DONE}`;

function macScene(options: SceneOptions): Scene {
  const machine = makeMac();
  return makeScene({ ...options, machine, env: { ...machine.env, ...options.env } });
}

test('the quick start: the next prompt has the output of a red check, a green one commits, DONE ends it', async () => {
  const scene = macScene({
    play: `[ "$n" = 2 ] && echo fixed >work.txt; ${DONE}`,
    settings: {
      guardrails: [{ command: 'grep fixed work.txt || { echo "it is broken" >&2; exit 3; }', failAction: 'APPEND' }],
      scm: { command: 'git', tasks: ['commit'] },
    },
  });
  const { code, stderr } = await scene.run();
  expect(stderr).toContain('✓ Done in 2 iterations');
  expect(code).toBe(0);
  expect(scene.promptOf('2/work/1')).toContain('it is broken\n');
  expect(scene.git('log', '--format=%s', '-1')).toBe('Commit of iteration 2\n');
  const listed = await scene.ralph(['ls']).exited;
  expect(listed.stdout).toContain('done   2/10');
});

describe('a loop whose supervisor was killed by kill -9', () => {
  test('is shown as such and can be resumed: its agent is terminated first, and nothing is done twice', async () => {
    const scene = macScene({ play: FIRST_GATED });
    const supervisor = scene.ralph(['run', '-p', PROMPT]);
    await scene.logged('at gate 1/work/1');
    // On a Mac, an agent is found by its recorded pid alone, and it can be at the gate before that is on the disk.
    await scene.journalSays('"kind":"started"');
    supervisor.signal('SIGKILL');
    await supervisor.exited;
    expect(processesOf(scene.folder)).not.toEqual([]);
    expect((await scene.ralph(['ls']).exited).stdout).toContain('supervisor died');
    const { code, stderr } = await scene.ralph(['resume']).exited;
    expect(stderr).toContain('it was still running and was ended; it starts again');
    expect(code).toBe(0);
    expect(scene.starts()).toEqual(['agent 1/work/1', 'at gate 1/work/1', 'agent 1/work/2']);
  });

  test('can be resumed after its agent has ended', async () => {
    const scene = macScene({ play: FIRST_GATED });
    const supervisor = scene.ralph(['run', '-p', PROMPT]);
    await scene.logged('at gate 1/work/1');
    supervisor.signal('SIGKILL');
    await supervisor.exited;
    await scene.letGo();
    const { code, stderr } = await scene.ralph(['resume']).exited;
    expect(stderr).toContain('it ended while no supervisor was running');
    expect(code).toBe(0);
  });
});

test('a second Ctrl-C terminates the agent and the processes that it started, and resume continues', async () => {
  const scene = macScene({ play: `sleep 600 & sh -c 'sleep 601; :' & ${FIRST_GATED}` });
  const loop = scene.ralph(['run', '-p', PROMPT]);
  await scene.logged('at gate 1/work/1');
  loop.signalGroup('SIGINT');
  await loop.says('Stopping after this step');
  loop.signalGroup('SIGINT');
  expect(await loop.exited).toMatchObject({ code: 130 });
  expect(processesOf(scene.folder)).toEqual([]);
  expect(await scene.ralph(['resume']).exited).toMatchObject({ code: 0 });
});

test('processes that an agent leaves in its group end with it, even if it exits too fast to be observed', async () => {
  const scene = macScene({ play: `sleep 600 >/dev/null 2>&1 & ${DONE}` });
  expect(await scene.run()).toMatchObject({ code: 0 });
  expect(processesOf(scene.folder)).toEqual([]);
});

/** It has its own session and its parent is gone, so it can only be found by its mark, which ps -E shows. */
const DAEMON = `node -e 'require("child_process").spawn("node", ["-e", "fs.writeFileSync(process.env.SCENE + \`/up\`, \`\`); setTimeout(() => {}, 600000)"], { detached: true, stdio: "ignore" }).unref()'
until [ -e "$SCENE/up" ]; do sleep 0.01; done`;

test('a daemon that the agent leaves behind ends with its run', async () => {
  const scene = macScene({ play: `${DAEMON}; ${DONE}` });
  expect(await scene.run()).toMatchObject({ code: 0 });
  expect(processesOf(scene.folder)).toEqual([]);
});

test('a process that only names the mark of a run in its command line does not belong to it', async () => {
  const scene = macScene({ play: `echo "$RALPH_MARK" >"$SCENE/mark"; at_gate; ${DONE}` });
  const loop = scene.ralph(['run', '-p', PROMPT]);
  await scene.logged('at gate 1/work/1');
  const argv = [
    '-e',
    'console.log("up"); setTimeout(() => {}, 600000)',
    `RALPH_MARK=${scene.read('mark').trim()}`,
  ] as const;
  const stranger = startProgram([process.execPath, ...argv], { env: {} });
  await stranger.says('up');
  scene.openGate();
  expect(await loop.exited).toMatchObject({ code: 0 });
  stranger.signal('SIGUSR2');
  expect(await stranger.exited).toMatchObject({ code: 'SIGUSR2' });
});

describe('a second loop in the same folder is refused', () => {
  const refused = { code: 2, stderr: expect.stringContaining('error: a loop is already running in') };

  test('in a terminal with any language and time zone', async () => {
    const scene = macScene({ play: GATED });
    const first = scene.ralph(['run', '-p', PROMPT]);
    await scene.logged('at gate 1/work/1');
    expect(await scene.run()).toMatchObject(refused);
    expect(await scene.shell(`LANG=C TZ=Asia/Tokyo ralph run -p x`)).toMatchObject(refused);
    scene.openGate();
    expect(await first.exited).toMatchObject({ code: 0 });
    scene.write('play', DONE);
    expect(await scene.run()).toMatchObject({ code: 0 });
  });

  test('under any spelling of the path that means the same folder on a Mac', async () => {
    const machine = makeMac();
    const scene = makeScene({ play: GATED, machine });
    const other = join(scene.folder, 'WORK');
    mkdirSync(other);
    const bind = ['sh', '-c', 'mount --bind "$0" "$1" && cd "$1" && shift && exec "$@"', scene.work, other];
    const ralph = [...machine.front, 'node', join(ROOT, 'bin/ralph.cjs')];
    const there = (...args: string[]) =>
      startProgram(['unshare', '--mount', ...bind, ...ralph, ...args], { cwd: scene.work, env: scene.env }).exited;
    const first = scene.ralph(['run', '-p', PROMPT]);
    await scene.logged('at gate 1/work/1');
    expect(await there('run', '-p', PROMPT)).toMatchObject(refused);
    expect((await there('ls')).stdout).toMatch(/^● \w{4} {2}run {3}\. /m);
    scene.openGate();
    expect(await first.exited).toMatchObject({ code: 0 });
  });
});

describe('a loop notices changes even if its file watch has lost the events', () => {
  test('ralph stop, in a pause after a failure', async () => {
    const scene = macScene({ play: 'exit 1', settings: { failureBackoffMs: 600_000 } });
    const loop = scene.ralph(['run', '-p', PROMPT]);
    await loop.says('Agent failed');
    expect(await scene.ralph(['stop']).exited).toMatchObject({ code: 0 });
    expect(await loop.exited).toMatchObject({ code: 130 });
  });

  test('ralph logs -f shows new output of the agent', async () => {
    const scene = macScene({ play: `echo first; at_gate; echo second; at_gate; ${DONE}` });
    const loop = scene.ralph(['run', '-p', PROMPT]);
    await scene.logged('at gate 1/work/1');
    const follows = scene.ralph(['logs', '-f']);
    await follows.says('first');
    scene.openGate();
    await follows.says('second');
    await loop.says('second');
    scene.openGate();
    expect(await loop.exited).toMatchObject({ code: 0 });
    await follows.exited;
  });
});

test('in a terminal, a loop has a status line; two Ctrl-C leave a clean screen and no process', async () => {
  const machine = makeMac();
  const scene = makeScene({ play: GATED, machine, env: machine.env });
  const line = [...machine.front, 'ralph', 'run', '-p', PROMPT].map(shellQuote).join(' ');
  const terminal = openTerminal(scene, line, { columns: 80, rows: 24 });
  await scene.logged('at gate 1/work/1');
  await terminal.shows('● 1/10');
  terminal.press('C-c');
  await terminal.shows('Stopping after this step');
  terminal.press('C-c');
  const { code, screen } = await terminal.ended();
  expect(screen).not.toContain('●');
  expect(screen).toContain('ralph resume');
  expect(code).toBe(130);
  expect(processesOf(scene.work).filter(({ command }) => command.includes('agent'))).toEqual([]);
});

test('--detach frees the terminal, and the loop continues', async () => {
  const scene = macScene({ play: GATED });
  expect(await scene.run('--detach')).toMatchObject({ code: 0 });
  await scene.logged('at gate 1/work/1');
  scene.openGate();
  await scene.journalSays('"kind":"ended"');
  await scene.letGo();
});

test('an agent in a tmux pane survives the death of its supervisor', async () => {
  const scene = macScene({ play: GATED });
  const supervisor = scene.ralph(['run', '-p', PROMPT, '--runner', 'tmux']);
  await scene.logged('at gate 1/work/1');
  supervisor.signal('SIGKILL');
  await supervisor.exited;
  const resumed = scene.ralph(['resume']);
  await resumed.says('Resuming');
  scene.openGate();
  expect(await resumed.exited).toMatchObject({ code: 0 });
  expect(scene.starts()).toEqual(['agent 1/work/1', 'at gate 1/work/1']);
});

test('a fleet worker refuses to run on a Mac, where its agents would survive it', async () => {
  const scene = macScene({ play: DONE });
  const { code, stderr } = await scene.ralph(['fleet', 'worker', '--database', 'postgres://localhost/x']).exited;
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('a fleet worker needs Linux') });
});
