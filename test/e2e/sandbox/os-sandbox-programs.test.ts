/** Programs of one loop that run side by side in the operating system's sandbox, each with its own list of refusals. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { opened, RALPH } from '../../support/sandbox/opened.ts';
import { attackIn, attackOn, listen, listenAt, NO_WAY_OUT } from '../../support/sandbox/sandbox.ts';

const NODE = process.execPath;

test('eight programs at once all reach the allowed hosts, and each has its own refusals', async () => {
  const server = await listen();
  const { run, folder } = opened({ allowHosts: [`localhost:${server.port}`] });
  // While coverage is measured, the sandbox would refuse to let node write its report.
  const visit = `env -u NODE_V8_COVERAGE ${NODE} -e "require('net').connect(${server.port},'127.0.0.1').on('data',d=>console.log('got '+d))"`;
  const ask = (host: string): string =>
    `curl --silent --output /dev/null --write-out '%{http_connect}' https://${host}/ || true`;
  const numbers = [1, 2, 3, 4, 5, 6, 7, 8];
  const ran = await Promise.all(
    numbers.map((n) => run(`${visit}; ${ask(`no-${n}.example.com`)}; echo x >"$SCENE/outside-${n}"`, `${n}`)),
  );
  for (const [index, { stdout, refused }] of ran.entries()) {
    expect(stdout).toBe('got welcome\n\n403');
    expect(refused.sort()).toEqual([join(folder, `outside-${index + 1}`), `no-${index + 1}.example.com:443`]);
  }
  expect(server.visitors()).toBe(8);
});

test('all refusals right before a program is killed are reported', async () => {
  const { run, folder } = opened();
  const hosts = 'curl --silent --output /dev/null "https://no-[1-150].example.com/"';
  const files = `for n in $(seq 50); do echo x >"$SCENE/outside-$n"; done`;
  const { refused } = await run(`${hosts}; ${files} 2>/dev/null; kill -9 $$`, 'last');
  const told = refused.filter((target) => target.endsWith('.example.com:443'));
  expect(told).toHaveLength(150);
  expect(refused.filter((target) => target.startsWith(join(folder, 'outside-')))).toHaveLength(50);
});

test('a program without a network is confined like any other', async () => {
  const { run, folder } = opened();
  const host = await listenAt(join(folder, 'host.sock'));
  const { stdout } = await run(attackOn('"$SCENE/host.sock"'), 'attack', { isOffline: true });
  expect(attackIn(stdout)).toEqual({ ...NO_WAY_OUT, answers: ['ECONNREFUSED', 'ECONNREFUSED'] });
  expect(host.visitors()).toBe(0);
});

test("a program can write to one file in the loop's folder, and to nothing beside it", async () => {
  const { run, loop } = opened();
  const file = join(loop, 'answer');
  writeFileSync(file, '');
  const { code } = await run(`echo words >${file}; echo x >${loop}/other; ls ${loop}`, 'writer', { writes: [file] });
  expect(code).toBe(0);
  expect(readFileSync(file, 'utf8')).toBe('words\n');
  await expect(async () => readFileSync(join(loop, 'other'))).rejects.toThrow('ENOENT');
});

const WITHOUT_HELPER = [
  '/bin/sh',
  '-c',
  `[ "$1" = sandbox-helper ] && exit 1; exec ${RALPH.join(' ')} "$@"`,
  'ralph',
] as const;

test.each([
  ['with the helper', RALPH],
  ['without it', WITHOUT_HELPER],
])("a program reaches neither the session's keyring nor the host of its virtual machine, %s", async (_, self) => {
  const { run } = opened({ self });
  const { addKey, keyctl } = process.arch === 'arm64' ? { addKey: 217, keyctl: 219 } : { addKey: 248, keyctl: 250 };
  // Look up the session's keyring, add a key to it, open a socket to the host (AF_VSOCK).
  const asked = [
    `syscall(${keyctl},0,-3,0)`,
    `syscall(${addKey},my $type="user",my $name="x",my $key="y",1,-3)`,
    'socket(S,40,1,0)||-1',
  ];
  const { stdout } = await run(`perl -e '${asked.map((call) => `print(${call}," $!\\n");`).join('')}'`, 'keys');
  expect(stdout).toBe('-1 Operation not permitted\n'.repeat(3));
});

test('without a helper, each program has its own process, and is confined just the same', async () => {
  const said: string[] = [];
  const { run, folder } = opened({ self: WITHOUT_HELPER, warn: (line) => said.push(line) });
  const host = await listenAt(join(folder, 'host.sock'));
  const { stdout, refused } = await run(`${attackOn('"$SCENE/host.sock"')}; echo x >"$SCENE/outside"`, 'alone');
  expect(attackIn(stdout)).toEqual(NO_WAY_OUT);
  expect(refused).toContain(join(folder, 'outside'));
  expect(host.visitors()).toBe(0);
  expect((await run('true', 'again')).code).toBe(0);
  expect(said).toEqual([
    'Sandbox: its helper does not start (exit 1); without it, each program takes 0.3 to 0.4 seconds longer',
  ]);
});

test.each([
  ['with the helper', RALPH],
  ['without it', WITHOUT_HELPER],
])('paths that the sandbox runtime makes writable by default are not, unless they are allowed, %s', async (_, self) => {
  const { run, folder } = opened({ self, folders: ['~/.npm/_logs', '~/.claude/debug'], allowWrite: ['~/.claude'] });
  await run('touch ~/.npm/_logs/made ~/.claude/debug/made 2>/dev/null', 'logs');
  expect(readdirSync(join(folder, '.npm/_logs'))).toEqual([]);
  expect(readdirSync(join(folder, '.claude/debug'))).toEqual(['made']);
});

test.each([
  ['with the helper', RALPH],
  ['without it', WITHOUT_HELPER],
])('a read-only program cannot write to the work tree, but the next one can, %s', async (_, self) => {
  // The second allowed path contains the work tree.
  const { run, work } = opened({ self, folders: ['node_modules', '~/own'], allowWrite: ['~/own', '~'] });
  const tries =
    'for path in work.txt node_modules/new .git/new ~/own/new; do touch $path 2>/dev/null && echo $path; done';
  const { stdout, refused } = await run(`${tries}; rm -rf node_modules 2>/dev/null; ls -d node_modules`, 'reader', {
    onlyReads: true,
  });
  expect(stdout).toBe(`${join(work, '../own/new')}\nnode_modules\n`);
  expect(refused).toEqual([]);
  expect((await run(tries, 'writer')).stdout.split('\n')).toContain('node_modules/new');
  expect((await run(tries, 'reader again', { onlyReads: true })).stdout).not.toContain('node_modules');
});

test('a guarded file that was deleted since the first program is guarded for the next', async () => {
  const { run, work } = opened();
  expect((await run('true', 'first')).code).toBe(0);
  // A person deletes it, outside.
  rmSync(join(work, '.git/config'));
  const { code, stdout } = await run('echo planted >.git/config || echo refused', 'second');
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'refused\n' });
});

describe('a guarded folder that is deleted while the loop runs', () => {
  const tryIt = 'rm -rf .vscode; mkdir .vscode && echo x >.vscode/tasks.json || echo refused';
  const withFolder = () => {
    const here = opened({ folders: ['.vscode', '.claude/skills'] });
    return { ...here, editors: join(here.work, '.vscode') };
  };

  test('is guarded in each program, and not left behind as a placeholder', async () => {
    const { work, run, editors } = withFolder();
    expect((await run('true', 'first')).code).toBe(0);
    for (const path of [editors, join(work, '.claude')]) rmSync(path, { recursive: true });
    for (const called of ['second', 'third']) {
      expect((await run(`${tryIt}; mkdir -p .claude/skills/x || echo refused`, called)).stdout).toBe(
        'refused\nrefused\n',
      );
      expect(readdirSync(work).sort()).toEqual(['.git', '.ralph', 'work.txt']);
    }
    mkdirSync(editors);
    expect((await run('echo x >.vscode/tasks.json || echo refused', 'last')).stdout).toBe('refused\n');
    expect(readdirSync(editors)).toEqual([]);
  });

  test('is guarded as long as a program runs, even if another one ends', async () => {
    const { work, run, editors } = withFolder();
    rmSync(editors, { recursive: true });
    execFileSync('mkfifo', [join(work, 'gate')]);
    const long = run(`touch started; read -r _ <gate; ${tryIt}`, 'long');
    await vi.waitUntil(() => existsSync(join(work, 'started')), { timeout: 20_000 });
    expect((await run(tryIt, 'short')).stdout).toBe('refused\n');
    writeFileSync(join(work, 'gate'), 'go\n');
    expect((await long).stdout).toBe('refused\n');
    expect(existsSync(editors)).toBe(false);
  });
});

test.each([false, true])('a program starts with no signals blocked or ignored (offline: %s)', async (isOffline) => {
  const { run } = opened();
  const { stdout } = await run('grep -E "^Sig(Ign|Blk)" /proc/self/status', 'signals', { isOffline });
  expect(stdout).toBe('SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n');
});

test('arguments, environment and exit code of a program are passed on unchanged', async () => {
  const { sandbox, loop, work } = opened();
  const words = ["it's", '$(id)', '', '\\', 'a\nb', '--', 'x=y'];
  const refusals = join(loop, 'words.refused');
  const script = 'console.log(JSON.stringify([process.argv.slice(1), process.env.BASH_ENV])); process.exitCode = 7';
  const { argv, ended } = await sandbox.enclose([NODE, '-e', script, '--', ...words], { refusals });
  const env = { PATH: process.env.PATH, ...sandbox.env, BASH_ENV: '/nowhere' };
  const child = spawn(argv[0], argv.slice(1), { cwd: work, env, stdio: ['ignore', 'pipe', 'inherit'] });
  const said: string[] = [];
  child.stdout.on('data', (chunk: Buffer) => void said.push(chunk.toString('utf8')));
  const [code] = (await once(child, 'close')) as [number | null];
  await ended();
  expect({ code, said: JSON.parse(said.join('')) as unknown }).toEqual({ code: 7, said: [words, '/nowhere'] });
});
