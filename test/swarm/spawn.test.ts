/** `swarm spawn`: processes and windows, what they get, what is recorded, and what is refused. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeScene, refusal, said } from './scene.ts';

test('a process worker runs detached, its output in two files', async () => {
  const scene = makeScene();
  const script = 'echo out; echo err >&2; exec sleep 60';
  const spawned = await scene.swarm('spawn', '--name', 'w', '--', 'sh', '-c', script);
  const [worker] = JSON.parse(scene.read('home/state.json')).workers;
  expect(spawned).toEqual(said(`spawned w (pid: ${worker.pid})\n`));
  await scene.until(() => scene.read('home/logs/w.stderr.log') === 'err\n');
  expect(scene.read('home/logs/w.stdout.log')).toBe('out\n');
  expect(scene.isRunning(worker.pid)).toBe(true);
  expect(worker).toEqual({
    name: 'w',
    status: 'running',
    cmd: ['sh', '-c', script],
    started: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}$/),
    cwd: scene.work,
    env: {},
    tags: [],
    tmux: null,
    worktree: null,
    pid: worker.pid,
    metadata: {},
  });
  expect(scene.read('home/state.json')).toMatch(/^\{\n {2}"workers": \[\n {4}\{\n {6}"name": "w",/);
});

test('a tmux worker runs in a window of the session "swarm"', async () => {
  const scene = makeScene();
  expect(await scene.swarm('spawn', '--name', 'w', '--tmux', '--', 'cat')).toEqual(said('spawned w (tmux: swarm:w)\n'));
  expect(scene.tmux('list-windows', '-a', '-F', '#{session_name}:#{window_name}')).toBe('swarm:w\n');
  expect(JSON.parse(scene.read('home/state.json')).workers[0]).toMatchObject({
    tmux: { session: 'swarm', window: 'w', socket: null },
    pid: null,
  });
});

test('session and socket can be chosen', async () => {
  const scene = makeScene();
  const flags = ['--tmux', '--session', 'mine', '--tmux-socket', 'apart'];
  expect(await scene.swarm('spawn', '--name', 'w', ...flags, '--', 'cat')).toEqual(said('spawned w (tmux: mine:w)\n'));
  expect(scene.tmux('-L', 'apart', 'list-windows', '-a', '-F', '#{session_name}:#{window_name}')).toBe('mine:w\n');
  expect(JSON.parse(scene.read('home/state.json')).workers[0].tmux).toEqual({
    session: 'mine',
    window: 'w',
    socket: 'apart',
  });
});

test('the window is marked with its worker and a nonce, and its whole output is kept', async () => {
  const scene = makeScene();
  await scene.swarm('spawn', '--name', 'w', '--tmux', '--', 'sh', '-c', 'echo first; exec cat');
  await scene.printed('w', 'first');
  const { nonce, windowId, paneId } = JSON.parse(scene.read('home/workers/w/window/window.json'));
  expect(nonce).toMatch(/^[0-9a-f]{32}$/);
  const marks = '#{window_id} #{pane_id} #{@swarm_worker} #{@swarm_nonce}';
  expect(scene.tmux('list-panes', '-a', '-F', marks)).toBe(`${windowId} ${paneId} w ${nonce}\n`);
});

test('the command gets its arguments as they are, in both modes', async () => {
  const scene = makeScene();
  const words = ['a b', '$HOME', "it's", '', '#{pane_id}', '#(false)', '%H', 'x;', ';'];
  const print = ['sh', '-c', 'printf "<%s>" "$@" >"$0"; sleep 60'];
  for (const mode of [[], ['--tmux']]) {
    const file = join(scene.folder, `words${mode.length}`);
    await scene.swarm('spawn', '--name', `w${mode.length}`, ...mode, '--', ...print, file, ...words);
    await scene.until(() => existsSync(file) && scene.read(`words${mode.length}`).endsWith('<;>'));
    expect(scene.read(`words${mode.length}`)).toBe(words.map((word) => `<${word}>`).join(''));
  }
});

test('a command line that is too long for tmux arrives whole', async () => {
  const scene = makeScene();
  const long = 'x'.repeat(100_000);
  const count = ['sh', '-c', 'printf %s "$1" | wc -c; exec cat', 'sh'];
  expect((await scene.swarm('spawn', '--name', 'w', '--tmux', '--', ...count, long)).stderr).toBe('');
  await scene.printed('w', '100000');
});

test('both kinds get the variables, tags and folder', async () => {
  const scene = makeScene();
  const given = ['--env', 'FOO=bar=baz', '--env', 'EMPTY=', '--tag', 'one', '--tag', 'two', '--cwd', '..'];
  const print = ['sh', '-c', 'echo "$FOO|$(printenv EMPTY | wc -l)|$PWD"; exec sleep 60'];
  await scene.swarm('spawn', '--name', 'p', ...given, '--', ...print);
  await scene.swarm('spawn', '--name', 't', '--tmux', ...given, '--', ...print);
  const expected = `bar=baz|1|${scene.folder}`;
  await scene.printed('t', expected);
  await scene.until(() => scene.read('home/logs/p.stdout.log') === `${expected}\n`);
  for (const worker of JSON.parse(scene.read('home/state.json')).workers) {
    expect(worker).toMatchObject({ env: { FOO: 'bar=baz', EMPTY: '' }, tags: ['one', 'two'], cwd: scene.folder });
  }
});

test('a second -- before the command is left out', async () => {
  const scene = makeScene();
  await scene.swarm('spawn', '--name', 'w', '--', '--', 'sleep', '60');
  expect(JSON.parse(scene.read('home/state.json')).workers[0].cmd).toEqual(['sleep', '60']);
});

test('the exit status of a tmux worker is on disk, whatever tmux says', async () => {
  const scene = makeScene();
  await scene.swarm('spawn', '--name', 'w', '--tmux', '--', 'sh', '-c', 'exit 7');
  await scene.swarm('wait', 'w');
  const { nonce } = JSON.parse(scene.read('home/workers/w/window/window.json'));
  expect(scene.read(`home/workers/w/window/${nonce}.exit`)).toBe('7\n');
});

test.each<[string, string[], string]>([
  ['no command', ['--name', 'w', '--'], 'no command provided (use -- command...)'],
  ['a bad variable', ['--name', 'w', '--env', 'BAD', '--', 'true'], "invalid env format 'BAD' (expected KEY=VAL)"],
  [
    'a variable without a name',
    ['--name', 'w', '--env', '=x', '--', 'true'],
    "invalid env format '=x' (expected KEY=VAL)",
  ],
  [
    'a program that is not there',
    ['--name', 'w', '--', '/not/there'],
    'failed to spawn process: cannot start /not/there',
  ],
  ['a folder that is not there', ['--name', 'w', '--cwd', '/not', '--', 'true'], 'no such directory: /not'],
  [
    'the same for tmux',
    ['--name', 'w', '--tmux', '--cwd', '/not', '--', 'true'],
    'failed to create tmux window: no such directory: /not',
  ],
  ['a name that is a path', ['--name', '../w', '--', 'true'], "invalid worker name '../w'"],
  [
    'a session that tmux would rename',
    ['--name', 'w', '--tmux', '--session', 'a.b', '--', 'true'],
    "invalid session name 'a.b'",
  ],
])('refused: %s', async (_, args, message) => {
  const scene = makeScene();
  const { code, stdout, stderr } = await scene.swarm('spawn', ...args);
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toContain('swarm: error: ');
  expect(stderr).toContain(message);
  expect(await scene.swarm('ls')).toEqual(said(''));
});

test.each([
  [['spawn', '--', 'true']],
  [['spawn', '--name', 'w', '--nope', '--', 'true']],
  [['nope']],
  [['ls', '--format', 'xml']],
])('a usage error exits with 2: %s', async (args) => {
  const { code, stderr } = await makeScene().swarm(...args);
  expect(code).toBe(2);
  expect(stderr).toMatch(/^swarm: error: /);
});

test('only a running worker "already exists"; the record of a stopped one is replaced', async () => {
  const scene = makeScene();
  await scene.swarm('spawn', '--name', 'w', '--tmux', '--', 'cat');
  expect(await scene.swarm('spawn', '--name', 'w', '--', 'true')).toEqual(refusal("worker 'w' already exists"));
  await scene.swarm('kill', 'w');
  const again = await scene.swarm('spawn', '--name', 'w', '--tag', 'new', '--tmux', '--', 'cat');
  expect(again).toEqual(said('spawned w (tmux: swarm:w)\n'));
  expect(JSON.parse(scene.read('home/state.json')).workers).toMatchObject([
    { name: 'w', tags: ['new'], status: 'running' },
  ]);
});

test.each([[['--tmux']], [[]]])('of many spawns at once with the same name, exactly one wins (%s)', async (mode) => {
  const scene = makeScene();
  const all = Array.from({ length: 6 }, () => scene.swarm('spawn', '--name', 'w', ...mode, '--', 'sleep', '60'));
  const ended = await Promise.all(all);
  expect(ended.filter(({ code }) => code === 0)).toHaveLength(1);
  const losers = ended.filter(({ code }) => code !== 0);
  expect(new Set(losers.map(({ stderr }) => stderr))).toEqual(new Set(["swarm: error: worker 'w' already exists\n"]));
  expect(JSON.parse(scene.read('home/state.json')).workers).toHaveLength(1);
});

test('many spawns at once with different names all start, in one session', async () => {
  const scene = makeScene();
  const names = Array.from({ length: 8 }, (_, index) => `w${index}`);
  const ended = await Promise.all(names.map((name) => scene.swarm('spawn', '--name', name, '--tmux', '--', 'cat')));
  expect(ended.map(({ stderr }) => stderr).join('')).toBe('');
  expect((await scene.swarm('ls', '--format', 'names', '--status', 'running')).stdout.split('\n').sort()).toEqual([
    '',
    ...names,
  ]);
  expect(scene.tmux('list-sessions', '-F', '#{session_name} #{session_windows}')).toBe('swarm 8\n');
});

test('--ready-wait returns when a prompt is on the screen, however bare', async () => {
  const scene = makeScene();
  const agent = 'sleep 0.3; printf "> "; exec cat';
  const flags = ['--tmux', '--ready-wait', '--ready-timeout', '30'];
  const spawned = await scene.swarm('spawn', '--name', 'w', ...flags, '--', 'sh', '-c', agent);
  expect(spawned).toEqual(said('spawned w (tmux: swarm:w)\n'));
  expect((await scene.swarm('peek', 'w')).stdout).toBe('>\n');
});

test('after --ready-timeout there is a warning, and the worker keeps running', async () => {
  const scene = makeScene();
  const flags = ['--tmux', '--ready-wait', '--ready-timeout', '0.1'];
  expect(await scene.swarm('spawn', '--name', 'w', ...flags, '--', 'cat')).toEqual({
    code: 0,
    stdout: 'spawned w (tmux: swarm:w)\n',
    stderr: "swarm: warning: agent 'w' did not become ready within 0.1s\n",
  });
  expect((await scene.swarm('status', 'w')).code).toBe(0);
});

test('an agent that exits before it is ready causes a warning', async () => {
  const scene = makeScene();
  const { code, stderr } = await scene.swarm(
    'spawn',
    '--name',
    'w',
    '--tmux',
    '--ready-wait',
    '--',
    'sh',
    '-c',
    'exit 3',
  );
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: "swarm: warning: agent 'w' exited before it became ready (exit 3)\n",
  });
});
