/** `swarm ls`, `status`, `logs`, `peek`, `wait`: what is shown, in which format, and with which exit code. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Program, startProgram } from '../support/programs/program.ts';
import { ROOT } from '../support/scene.ts';
import { makeScene, refusal, type Scene, said } from './scene.ts';

async function three(): Promise<Scene> {
  const scene = makeScene();
  await scene.swarm('spawn', '--name', 'screen', '--tmux', '--tag', 'a', '--tag', 'b', '--', 'cat');
  await scene.swarm('spawn', '--name', 'process', '--tag', 'a', '--', 'sleep', '60');
  await scene.swarm('spawn', '--name', 'ended', '--', 'true');
  await scene.swarm('wait', 'ended');
  return scene;
}

test('ls shows nothing if there are no workers', async () => {
  const scene = makeScene();
  expect(await scene.swarm('ls')).toEqual(said(''));
  expect(await scene.swarm('ls', '--format', 'names')).toEqual(said(''));
  expect(await scene.swarm('ls', '--format', 'json')).toEqual(said('[]\n'));
});

test('ls shows a table, names or JSON, filtered by status and tag, and writes nothing', async () => {
  const scene = await three();
  const before = scene.read('home/state.json');
  const [, process, ended] = JSON.parse(scene.read('home/state.json')).workers;
  const lines = (await scene.swarm('ls')).stdout
    .split('\n')
    .map((line) => line.replace(/ \d+s /, ' 0s ').split(/ {2,}/));
  expect(lines).toEqual([
    ['NAME', 'STATUS', 'PID/WINDOW', 'STARTED', 'WORKTREE', 'TAG'],
    ['screen', 'running', 'swarm:screen', '0s', '-', 'a,b'],
    ['process', 'running', String(process.pid), '0s', '-', 'a', ''],
    ['ended', 'stopped', String(ended.pid), '0s', '-', '-', ''],
    [''],
  ]);
  expect(await scene.swarm('ls', '--format', 'names')).toEqual(said('screen\nprocess\nended\n'));
  expect(await scene.swarm('ls', '--format', 'names', '--status', 'stopped')).toEqual(said('ended\n'));
  expect(await scene.swarm('ls', '--format', 'names', '--tag', 'b', '--status', 'running')).toEqual(said('screen\n'));
  expect(await scene.swarm('ls', '--tag', 'none')).toEqual(said(''));
  const listed = JSON.parse((await scene.swarm('ls', '--format', 'json')).stdout);
  expect(listed).toEqual([
    ...JSON.parse(scene.read('home/state.json')).workers.slice(0, 2),
    { ...ended, status: 'stopped' },
  ]);
  expect(scene.read('home/state.json')).toBe(before);
});

test('the time since the start is shown in the largest unit', async () => {
  const scene = makeScene();
  const ago = (seconds: number): string => new Date(Date.now() - seconds * 1000 - 500).toISOString().slice(0, -1);
  const worker = (name: string, started: string) => ({ name, status: 'running', cmd: ['true'], started });
  const workers = [worker('s', ago(45)), worker('m', ago(900)), worker('h', ago(21_600)), worker('d', ago(259_200))];
  await scene.swarm('spawn', '--name', 'x', '--', 'true');
  writeFileSync(join(scene.home, 'state.json'), JSON.stringify({ workers }));
  const { stdout } = await scene.swarmIn({ env: { TZ: 'UTC' } }, 'ls');
  expect(
    stdout
      .split('\n')
      .slice(1, -1)
      .map((line) => line.split(/ {2,}/)[3]),
    // The seconds leave room for a busy machine.
  ).toEqual([expect.stringMatching(/^(4[5-9]|5\d)s$/), '15m', '6h', '3d']);
});

test('status prints one line, and its exit code says whether the worker runs', async () => {
  const scene = await three();
  const [, process, ended] = JSON.parse(scene.read('home/state.json')).workers;
  const status = async (name: string) => {
    const { code, stdout, stderr } = await scene.swarm('status', name);
    return { code, stdout: stdout.replace(/uptime \d+s/, 'uptime 0s'), stderr };
  };
  expect(await status('screen')).toEqual(said('screen: running (tmux window swarm:screen, uptime 0s)\n'));
  expect(await status('process')).toEqual(said(`process: running (pid ${process.pid}, uptime 0s)\n`));
  expect(await status('ended')).toEqual({ ...said(`ended: stopped (pid ${ended.pid}, uptime 0s)\n`), code: 1 });
  expect(await status('missing')).toEqual(refusal("worker 'missing' not found", 2));
});

test('logs of a process worker are its stdout', async () => {
  const scene = makeScene();
  await scene.swarm('spawn', '--name', 'w', '--', 'sh', '-c', 'echo one; echo two');
  await scene.swarm('wait', 'w');
  expect(await scene.swarm('logs', 'w')).toEqual(said('one\ntwo\n'));
  const follower = scene.start(['logs', 'w', '--follow']);
  await follower.says('two');
  follower.signal('SIGINT');
  expect((await follower.exited).code).toBe(0);
});

test('logs of a running tmux worker are its screen, with --history also what scrolled off', async () => {
  const scene = makeScene();
  await scene.swarm('spawn', '--name', 'w', '--tmux', '--', 'sh', '-c', 'seq 1 200; exec cat');
  await scene.printed('w', '200');
  const screen = (await scene.swarm('logs', 'w')).stdout.split('\n');
  expect(screen).toContain('200');
  expect(screen).not.toContain('100');
  expect((await scene.swarm('logs', 'w', '--history')).stdout.split('\n')).toContain('1');
  const some = (await scene.swarm('logs', 'w', '--history', '--lines', '10')).stdout.split('\n');
  expect(some.length).toBeGreaterThan(screen.length);
  expect(some).not.toContain('100');
});

test('logs of a tmux worker that has ended are what it printed, without escape sequences', async () => {
  const scene = makeScene();
  await scene.swarm(
    'spawn',
    '--name',
    'w',
    '--tmux',
    '--',
    'sh',
    '-c',
    'printf "\\033[31mred\\033[0m\\n"; echo end; exit 3',
  );
  await scene.swarm('wait', 'w');
  await scene.printed('w', 'end');
  expect(await scene.swarm('logs', 'w')).toEqual(said('red\nend\n'));
  expect(await scene.swarm('logs', 'w', '--history', '--lines', '1')).toEqual(said('end\n'));
});

test('logs --follow shows the screen again and again, and ends with the worker', async () => {
  const scene = makeScene();
  await scene.swarm('spawn', '--name', 'w', '--tmux', '--', 'sh', '-c', 'echo begin; read -r line; echo "got $line"');
  await scene.printed('w', 'begin');
  const follower = scene.start(['logs', 'w', '--follow']);
  await follower.says('\x1b[2J\x1b[Hbegin');
  await scene.swarm('send', 'w', 'it', '--raw');
  const { code, stdout } = await follower.exited;
  expect(code).toBe(0);
  expect(stdout).toContain('got it');
});

test('Ctrl-C ends logs --follow, not the worker', async () => {
  const scene = makeScene();
  await scene.swarm('spawn', '--name', 'w', '--tmux', '--', 'sh', '-c', 'echo begin; exec cat');
  await scene.printed('w', 'begin');
  const follower = scene.start(['logs', 'w', '--follow']);
  await follower.says('begin');
  follower.signal('SIGINT');
  expect((await follower.exited).code).toBe(0);
  expect((await scene.swarm('status', 'w')).code).toBe(0);
});

test('logs says when there are none', async () => {
  const scene = makeScene();
  expect(await scene.swarm('logs', 'w')).toEqual({ code: 1, stdout: '', stderr: "swarm: no worker named 'w'\n" });
  await scene.swarm('spawn', '--name', 'w', '--', 'true');
  await scene.swarm('wait', 'w');
  const state = JSON.parse(scene.read('home/state.json'));
  state.workers[0].name = 'other';
  writeFileSync(join(scene.home, 'state.json'), JSON.stringify(state));
  expect(await scene.swarm('logs', 'other')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'swarm: no logs found for other\n',
  });
});

test('peek shows the last lines of one screen, or of all', async () => {
  const scene = await three();
  await scene.swarm('spawn', '--name', 'counting', '--tmux', '--', 'sh', '-c', 'seq 1 100; exec cat');
  await scene.printed('counting', '100');
  expect(await scene.swarm('peek', 'counting', '-n', '3')).toEqual(said('98\n99\n100\n'));
  expect((await scene.swarm('peek', 'counting')).stdout.split('\n')).toHaveLength(31);
  const all = await scene.swarm('peek', '--all', '-n', '1');
  expect(all).toEqual(said('=== screen ===\n\n=== counting ===\n100\n\n'));
});

test('peek refuses what it cannot show', async () => {
  const scene = await three();
  await scene.swarm('kill', 'screen');
  expect(await scene.swarm('peek', 'missing')).toEqual(refusal("worker 'missing' not found", 2));
  expect(await scene.swarm('peek', 'process')).toEqual(refusal("worker 'process' is not a tmux worker"));
  expect(await scene.swarm('peek')).toEqual(refusal('worker name required (or use --all)'));
  const { code, stderr } = await scene.swarm('peek', 'screen');
  expect(code).toBe(1);
  expect(stderr).toContain("swarm: error: worker 'screen' is not running\n");
});

test('wait returns when the worker ends, or at the timeout', async () => {
  const scene = await three();
  expect(await scene.swarm('wait', 'ended')).toEqual(said('ended: exited\n'));
  const late = await scene.swarm('wait', 'process', '--timeout', '0.2');
  expect(late).toEqual({ code: 1, stdout: 'process: still running (timeout)\n', stderr: '' });
  const waiting = await startedLooking(scene, 'wait', '--all', '--timeout', '30');
  await scene.swarm('eof', 'screen');
  await waiting.says('screen: exited');
  await scene.swarm('kill', 'process');
  expect(await waiting.exited).toEqual(said('screen: exited\nprocess: exited\n'));
  expect(await scene.swarm('wait', '--all')).toEqual(said(''));
  expect(await scene.swarm('wait', 'missing')).toEqual(refusal("worker 'missing' not found"));
  expect(await scene.swarm('wait')).toEqual(refusal('name required (or use --all)'));
});

/** Starts a command that prints nothing at first, and returns once the command has looked at the workers. */
async function startedLooking(scene: Scene, ...args: string[]): Promise<Program> {
  const opens = join(scene.folder, 'opens');
  writeFileSync(opens, '');
  const preload = `--require ${join(ROOT, 'test/fakes/tell-opens.cjs')}`;
  const program = startProgram([process.execPath, join(ROOT, 'bin/swarm.cjs'), ...args], {
    cwd: scene.work,
    env: { ...scene.env, NODE_OPTIONS: preload, OPENS: opens },
    detached: true,
  });
  await scene.until(() => readFileSync(opens, 'utf8').includes(join(scene.home, 'state.json')));
  return program;
}
