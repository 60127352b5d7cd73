/** `state.json`: damaged, lost, unwritable, on a full disk. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { processesOf } from '../support/programs/processes.ts';
import { startProgram } from '../support/programs/program.ts';
import { ROOT } from '../support/scene.ts';
import { makeScene, said } from './scene.ts';

test('a damaged file is kept with a warning, and no running worker is lost', async () => {
  const scene = makeScene();
  await scene.swarm('spawn', '--name', 'p', '--tag', 'x', '--', 'sleep', '60');
  await scene.swarm('spawn', '--name', 't', '--tmux', '--', 'cat');
  await scene.swarm('spawn', '--name', 'ended', '--', 'true');
  await scene.swarm('wait', 'ended');
  writeFileSync(join(scene.home, 'state.json'), '{"workers": [{"na');
  const warning = 'swarm: warning: corrupt state file, resetting\n';
  expect(await scene.swarm('ls', '--format', 'names')).toEqual({ code: 0, stdout: 'p\nt\n', stderr: warning });
  expect(scene.read('home/state.json.corrupted')).toBe('{"workers": [{"na');
  expect(await scene.swarm('spawn', '--name', 'new', '--', 'sleep', '60')).toMatchObject({ code: 0, stderr: '' });
  expect(await scene.swarm('ls', '--format', 'names')).toEqual(said('p\nt\nnew\n'));
  expect(JSON.parse(scene.read('home/state.json')).workers[0]).toMatchObject({ name: 'p', tags: ['x'] });
});

test.each(['[]', '{}', '"x"', '{"workers": 1}', ''])(
  'a file with another content (%s) counts as damaged, too',
  async (text) => {
    const scene = makeScene();
    mkdirSync(scene.home);
    writeFileSync(join(scene.home, 'state.json'), text);
    const { code, stderr } = await scene.swarm('ls');
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'swarm: warning: corrupt state file, resetting\n' });
  },
);

test('a damaged file does not prevent a change', async () => {
  const scene = makeScene();
  mkdirSync(scene.home);
  writeFileSync(join(scene.home, 'state.json'), 'x');
  const { code, stderr } = await scene.swarm('spawn', '--name', 'w', '--', 'sleep', '60');
  expect({ code, stderr }).toEqual({ code: 0, stderr: 'swarm: warning: corrupt state file, resetting\n' });
  expect(await scene.swarm('ls', '--format', 'names')).toEqual(said('w\n'));
});

test('a lost file loses no running worker', async () => {
  const scene = makeScene();
  await scene.swarm('spawn', '--name', 't', '--tmux', '--', 'cat');
  rmSync(join(scene.home, 'state.json'));
  expect(await scene.swarm('ls', '--format', 'names')).toEqual(said('t\n'));
  expect(await scene.swarm('kill', 't')).toEqual(said('killed t\n'));
});

test('many writers at once lose nothing', async () => {
  const scene = makeScene();
  const names = Array.from({ length: 8 }, (_, index) => `w${index}`);
  await Promise.all(names.map((name) => scene.swarm('spawn', '--name', name, '--', 'true')));
  await Promise.all(names.map((name) => scene.swarm('kill', name)));
  const workers: { name: string; status: string }[] = JSON.parse(scene.read('home/state.json')).workers;
  expect(workers.map(({ name, status }) => `${name} ${status}`).sort()).toEqual(names.map((name) => `${name} stopped`));
});

test('the home is readable only by its owner', async () => {
  const scene = makeScene();
  await scene.swarm('spawn', '--name', 'w', '--env', 'SECRET=x', '--', 'true');
  const listing = execFileSync('sh', ['-c', 'cd "$0" && stat -c "%n %a" . state.json logs/*', scene.home], {
    encoding: 'utf8',
  });
  expect(listing.trim().split('\n')).toEqual([
    '. 700',
    'state.json 600',
    'logs/w.stderr.log 600',
    'logs/w.stdout.log 600',
  ]);
});

test('a home that is a file is a clear error', async () => {
  const scene = makeScene();
  const env = { SWARM_HOME: join(scene.work, 'file') };
  const { code, stdout, stderr } = await scene.swarmIn({ env }, 'spawn', '--name', 'w', '--tmux', '--', 'cat');
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
  expect(stderr).toMatch(/^swarm: error: .*\/file.*: part of this path is a file, not a directory\n/);
});

test('a state that cannot be written ends what was started, and the message says why', async () => {
  const scene = makeScene();
  // Root can write everywhere, but cannot replace a folder by a file.
  mkdirSync(join(scene.home, 'state.json.next'), { recursive: true });
  for (const mode of [[], ['--tmux', '--worktree']]) {
    const { code, stdout, stderr } = await scene.swarm('spawn', '--name', 'w', ...mode, '--', 'sleep', '60');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(
      /^swarm: warning: spawn failed, cleaning up partial state\nswarm: error: failed to save state: .+\n$/,
    );
    await scene.until(() => processesOf(scene.folder).length === 0);
    expect(existsSync(join(scene.folder, 'work-worktrees/w'))).toBe(false);
    expect(scene.git('branch', '--format', '%(refname:short)').trim()).toBe('main');
  }
  rmSync(join(scene.home, 'state.json.next'), { recursive: true });
  expect(await scene.swarm('ls')).toEqual(said(''));
});

test('a full disk is reported, and nothing is left running', async () => {
  const scene = makeScene();
  const disk = join(scene.folder, 'disk');
  mkdirSync(disk);
  // A file system of four pages, two of them used, that only this program sees.
  const fill = 'mount -t tmpfs -o size=16k tmpfs "$0" && head -c 8192 /dev/zero >"$0/filler" && exec "$@"';
  const apart = process.getuid?.() === 0 ? ['--mount'] : ['--mount', '--user', '--map-root-user'];
  for (const mode of [[], ['--tmux']]) {
    const swarm = [process.execPath, join(ROOT, 'bin/swarm.cjs'), 'spawn', '--name', 'w', ...mode, '--', 'sleep', '60'];
    const env = { ...scene.env, SWARM_HOME: join(disk, 'home') };
    const { exited } = startProgram(['unshare', ...apart, 'sh', '-c', fill, disk, ...swarm], { cwd: scene.work, env });
    const { code, stderr } = await exited;
    expect(code).toBe(1);
    expect(stderr).toContain('swarm: error: ');
    expect(stderr).toContain('no space left on device');
    await scene.until(() => processesOf(scene.folder).length === 0);
  }
});
