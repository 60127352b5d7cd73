import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { findProgram } from '../process/which.ts';
import { findEntrance, hintFor } from './namespace.ts';

/** The system's own programs first: one from a version manager may need more than a short PATH contains. */
const PATH = ['/usr/sbin', '/usr/bin', '/sbin', '/bin', process.env.PATH].join(delimiter);
const isRoot = process.getuid?.() === 0;
const here = findEntrance(PATH, isRoot);

/** A PATH with only these programs. */
function pathWith(...programs: readonly string[]): string {
  const folder = testFolder();
  for (const program of programs) symlinkSync(findProgram(program, PATH, '/') ?? '', join(folder, program));
  return folder;
}

function run(entrance: ReturnType<typeof findEntrance>, line: string) {
  if (!('inside' in entrance)) throw new Error(`there is no way in: ${JSON.stringify(entrance)}`);
  const [program, ...args] = entrance.inside(['/bin/sh', '-c', line]);
  return spawnSync(program, args, { encoding: 'utf8' });
}

/** Listens on the loopback and connects to itself, which works only if the loopback is up. */
const TALK = `require('net').createServer((s) => s.end('hello')).listen(0, '127.0.0.1', function () {
  require('net').connect(this.address().port, '127.0.0.1').on('data', (d) => { console.log(String(d)); process.exit(); });
})`;

test('without unshare, or without anything that brings up a loopback, there is no way', () => {
  expect(findEntrance(pathWith('sh'), isRoot)).toMatchObject({ why: 'unshare is not installed' });
  expect(findEntrance(pathWith('sh', 'unshare'), isRoot)).toMatchObject({
    hint: expect.stringContaining('iproute2'),
  });
});

test('what unshare says when it is refused is reported', () => {
  const folder = testFolder();
  symlinkSync('/bin/false', join(folder, 'unshare'));
  const path = [folder, PATH].join(delimiter);
  expect(findEntrance(path, isRoot)).toMatchObject({ why: 'unshare ended with 1' });
});

describe.runIf('inside' in here)('inside', () => {
  test('there is nothing but a loopback, and that is up', () => {
    const { stdout } = run(here, `cat /proc/self/net/dev; ${process.execPath} -e "${TALK}"`);
    expect(stdout.match(/^ *[^ :|]+:/gm)?.map((name) => name.trim())).toEqual(['lo:']);
    expect(stdout).toContain('hello');
  });

  test('user, folder and exit code are the same', () => {
    const { stdout, status } = run(here, 'id -u; pwd; exit 7');
    expect(stdout).toBe(`${process.getuid?.()}\n${process.cwd()}\n`);
    expect(status).toBe(7);
  });

  test('the command is the very process that was started: no shell stays between', () => {
    const { stdout, pid, signal } = run(here, 'echo $$; kill -TERM $$');
    expect(Number(stdout)).toBe(pid);
    expect(signal).toBe('SIGTERM');
  });

  const tools = ['ip', 'ifconfig', 'busybox', 'perl', 'python3'].filter((tool) => findProgram(tool, PATH, '/'));
  test.each(tools)('%s brings up the loopback', (tool) => {
    const entrance = findEntrance(pathWith('unshare', 'sh', 'true', tool), isRoot);
    expect(run(entrance, `${process.execPath} -e "${TALK}"`).stdout).toBe('hello\n');
  });

  test('a user who is not root keeps the uid and gets no power', () => {
    const entrance = findEntrance(PATH, false);
    const { stdout } = run(entrance, 'id -u; grep CapAmb /proc/self/status');
    expect(stdout).toMatch(new RegExp(`^${process.getuid?.()}\nCapAmb:\\s0+\n$`));
  });
});

const REFUSED = 'unshare failed: Operation not permitted';

/** A folder like /proc/sys with these kernel settings. */
function switches(values: Readonly<Record<string, string>>): string {
  const proc = testFolder();
  for (const folder of ['kernel', 'user']) mkdirSync(join(proc, folder));
  for (const [path, value] of Object.entries(values)) writeFileSync(join(proc, path), `${value}\n`);
  return proc;
}

test.each([
  ['kernel/apparmor_restrict_unprivileged_userns', '1', 'kernel.apparmor_restrict_unprivileged_userns=0'],
  ['kernel/unprivileged_userns_clone', '0', 'kernel.unprivileged_userns_clone=1'],
  ['user/max_user_namespaces', '0', 'user.max_user_namespaces=15000'],
])('the switch %s is found', (path, value, wanted) => {
  expect(hintFor(REFUSED, switches({ [path]: value }))).toBe(`to allow it: sudo sysctl ${wanted}`);
});

test('a switch that allows it is not blamed', () => {
  expect(hintFor(REFUSED, switches({ 'user/max_user_namespaces': '96349' }))).not.toContain('sysctl');
});

test('an unshare that is too old is told from one that is refused', () => {
  const words = "unrecognized option '--map-current-user'";
  expect(hintFor(words, switches({}))).toBe('util-linux 2.36 or later is needed');
});
