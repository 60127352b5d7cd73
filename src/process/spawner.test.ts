import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { nodeProgram, startProgram } from '../../test/support/node-program.ts';
import { processesOf } from '../../test/support/processes.ts';
import { readySpawner, requestOf } from '../../test/support/spawning.ts';
import type { Exit } from '../core/outcome.ts';
import { findCgroupHome, killLeaf, membersOf, removeLeafIfEmpty } from './containment/cgroup.ts';
import { openSpawner, type SpawnRequest } from './spawner.ts';

test('a spawner that cannot be there starts nothing', async () => {
  const request = { argv: ['true'], cwd: '/', env: {}, leaf: '/', stdin: '/', stdout: '/', stderr: '/' };
  const spawner = openSpawner({ PATH: '/not/there' }, 1);
  expect(spawner.start(request)).toBeNull();
  await spawner.close();
  expect(spawner.start(request)).toBeNull();
});

const homes = [findCgroupHome()].filter((home) => home !== null);

describe.each(homes)('a spawner below the cgroup $path', (home) => {
  const inShell = (lines: string, folder = testFolder()): SpawnRequest =>
    requestOf(home, ['sh', '-c', lines, folder], folder);
  const text = ({ cwd }: SpawnRequest, name = 'stdout.log'): string => readFileSync(join(cwd, name), 'utf8');

  /** Starts it, sees it to its end. */
  async function ran(request: SpawnRequest): Promise<Exit> {
    const spawner = await readySpawner(request.cwd);
    const started = await spawner.start(request);
    if (started === null) throw new Error('the spawner is not there');
    return started.exited;
  }

  test.each<[string, Exit]>([
    ['exit 0', { by: 'code', code: 0 }],
    ['exit 3', { by: 'code', code: 3 }],
    ['exit 137', { by: 'code', code: 137 }],
    ['kill -KILL $$', { by: 'signal', signal: 'SIGKILL' }],
    ['kill -TERM $$', { by: 'signal', signal: 'SIGTERM' }],
    ['kill -SEGV $$', { by: 'signal', signal: 'SIGSEGV' }],
  ])('tells the exit of `%s` exactly', async (lines, exit) => {
    expect(await ran(inShell(lines))).toEqual(exit);
  });

  test('starts one program after another', async () => {
    const folder = testFolder();
    const spawner = await readySpawner(folder);
    for (const code of [0, 1, 2]) {
      const started = await spawner.start(inShell(`echo ${code}; exit ${code}`, folder));
      expect(await started?.exited).toEqual({ by: 'code', code });
    }
    expect(readFileSync(join(folder, 'stdout.log'), 'utf8')).toBe('0\n1\n2\n');
  });

  test('reads stdin from a file, and makes files that nobody else may read', async () => {
    const request = inShell('cat; echo oops >&2; umask');
    writeFileSync(join(request.cwd, 'in'), 'the prompt\n');
    await ran({ ...request, stdin: join(request.cwd, 'in') });
    // A program's own files are made as we would make them.
    const own = spawnSync('sh', ['-c', 'umask'], { encoding: 'utf8' });
    expect([text(request), text(request, 'stderr.log')]).toEqual([`the prompt\n${own.stdout}`, 'oops\n']);
    expect(statSync(join(request.cwd, 'stdout.log')).mode & 0o777).toBe(0o600);
  });

  test('hands arguments on as they are, also more than a pipe holds', async () => {
    const words = ['$(id)', 'a  b', "it's", '"', '', '-n', 'a\nb', '😀', 'run 3\n', 'x'.repeat(100_000)];
    const request = inShell('');
    await ran({ ...request, argv: ['sh', '-c', 'printf "%s\\0" "$@"', 'sh', ...words] });
    expect(text(request)).toBe(words.map((word) => `${word}\0`).join(''));
  });

  test('gives a program its own environment, and nothing else', async () => {
    const request = inShell('');
    const env = { PATH: process.env.PATH, EMPTY: '', LINES: 'a\nb', EQUAL: 'a=b', PERL5OPT: '-w', NONE: undefined };
    const spawner = await readySpawner(request.cwd, { PATH: process.env.PATH, GONE: 'x', PERL5OPT: '-MNot::There' });
    await (await spawner.start({ ...request, argv: ['env', '-0'], env }))?.exited;
    const given = text(request).split('\0').filter(Boolean).sort();
    expect(given).toEqual(['EMPTY=', 'EQUAL=a=b', 'LINES=a\nb', `PATH=${process.env.PATH}`, 'PERL5OPT=-w']);
  });

  test('starts a program in its leaf, and in a group of its own', async () => {
    const request = inShell('cat /proc/self/cgroup; echo $$; cut -d " " -f 5 /proc/$$/stat');
    await ran(request);
    const [pid, group, ...cgroups] = text(request).trim().split('\n').toReversed();
    expect(group).toBe(pid);
    expect(cgroups.join('\n')).toContain(request.leaf.split('/').at(-1));
  });

  test('gives a program the open files and the signals that we would give it', async () => {
    const lines = 'grep -E "^Sig(Blk|Ign|Cgt)" /proc/self/status; ls /proc/self/fd';
    const request = inShell(lines);
    await ran(request);
    const own = spawnSync('sh', ['-c', lines], { stdio: ['ignore', 'pipe', 'ignore'], encoding: 'utf8' });
    expect(text(request)).toBe(own.stdout);
  });

  test('refuses what is not there, and goes on', async () => {
    const request = inShell('echo on');
    const spawner = await readySpawner(request.cwd);
    await expect(spawner.start({ ...request, argv: ['/not/there'] })).rejects.toThrow('spawn /not/there ENOENT');
    await expect(spawner.start({ ...request, cwd: '/not/there' })).rejects.toThrow('ENOENT');
    await (await spawner.start(request))?.exited;
    expect(text(request)).toBe('on\n');
  });

  test('starts nothing without a leaf', async () => {
    const request = inShell('touch started');
    const spawner = await readySpawner(request.cwd);
    removeLeafIfEmpty(request.leaf);
    await expect(spawner.start(request)).rejects.toThrow('ENOENT');
    expect(existsSync(join(request.cwd, 'started'))).toBe(false);
  });

  test('has one program at a time, and takes no NUL', async () => {
    const request = inShell('sleep 60');
    const spawner = await readySpawner(request.cwd);
    expect(spawner.start({ ...request, argv: ['a\0b'] })).toBeNull();
    const started = await spawner.start(request);
    expect(spawner.start(inShell('true', request.cwd))).toBeNull();
    killLeaf(request.leaf);
    expect(await started?.exited).toEqual({ by: 'signal', signal: 'SIGKILL' });
    expect(await (await spawner.start(inShell('true', request.cwd)))?.exited).toEqual({ by: 'code', code: 0 });
  });

  test('that is killed leaves its program at work, with an exit that nobody saw', async () => {
    const request = inShell('exec sleep 60');
    const spawner = await readySpawner(request.cwd);
    const started = await spawner.start(request);
    for (const { pid, command } of processesOf(request.cwd))
      if (command.startsWith('perl')) process.kill(pid, 'SIGKILL');
    expect(await started?.exited).toEqual({ by: 'unseen' });
    expect(membersOf(request.leaf)).toHaveLength(1);
    expect(spawner.start(request)).toBeNull();
    killLeaf(request.leaf);
  });

  test('that is closed leaves nothing', async () => {
    const folder = testFolder();
    const spawner = await readySpawner(folder);
    await vi.waitUntil(() => processesOf(folder).length === 2, { interval: 2, timeout: 10_000 });
    await spawner.close();
    expect(processesOf(folder)).toEqual([]);
  });

  describe('whose supervisor is killed', () => {
    const SUPERVISE = `
      import { openSpawner } from './src/process/spawner.ts';
      const [folder, request] = [process.argv[2], JSON.parse(process.argv[3])];
      const spawner = openSpawner({ ...process.env, SCENE: folder }, 1);
      spawner.start(request);
      process.stdin.on('data', () => console.log(spawner.start(request) === null ? 'not yet' : 'asked'));`;

    async function supervisor(request: SpawnRequest) {
      const child = startProgram(await nodeProgram(SUPERVISE), [request.cwd, JSON.stringify(request)]);
      const spawners = (): number[] =>
        processesOf(request.cwd).flatMap(({ pid, command }) => (command.startsWith('perl') ? [pid] : []));
      // The spawner itself and its waiting copy, which is younger.
      await vi.waitUntil(() => spawners().length === 2, { interval: 2, timeout: 10_000 });
      return {
        spawners,
        waiting: Math.max(...spawners()),
        async ask() {
          for (let answer = ''; !answer.includes('asked'); ) {
            child.stdin?.write('go\n');
            [answer] = (await once(child.stdout ?? child, 'data')).map(String) as [string];
          }
        },
        async kill() {
          child.kill('SIGKILL');
          await once(child, 'exit');
        },
      };
    }

    test('dies with it; its program goes on', async () => {
      const request = inShell('echo up; exec sleep 60');
      const { ask, kill, spawners } = await supervisor(request);
      await ask();
      await vi.waitUntil(() => existsSync(request.stdout) && text(request) === 'up\n', {
        interval: 2,
        timeout: 10_000,
      });
      await kill();
      await vi.waitUntil(() => spawners().length === 0, { interval: 2, timeout: 10_000 });
      expect(membersOf(request.leaf)).toHaveLength(1);
      killLeaf(request.leaf);
    });

    test('starts nothing any more once the leaf is gone, though the request was made', async () => {
      const request = inShell('touch started');
      const { ask, kill, spawners, waiting } = await supervisor(request);
      process.kill(waiting, 'SIGSTOP');
      await ask();
      await kill();
      expect(removeLeafIfEmpty(request.leaf)).toBe(true);
      process.kill(waiting, 'SIGCONT');
      await vi.waitUntil(() => spawners().length === 0, { interval: 2, timeout: 10_000 });
      expect(existsSync(join(request.cwd, 'started'))).toBe(false);
    });
  });
});
