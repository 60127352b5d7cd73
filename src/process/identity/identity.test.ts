import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { findProgram } from '../which.ts';
import {
  bootedAt,
  identify,
  identifyChild,
  isRunning,
  type ProcessIdentity,
  startedAt,
  thisMachine,
} from './identity.ts';

const place = thisMachine();

function start(program: string, ...args: readonly string[]): { child: ChildProcess; identity: ProcessIdentity } {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const identity = identify(child.pid ?? 0);
  if (identity === null) throw new Error('it ended before it was seen');
  return { child, identity };
}

describe('a process', () => {
  test('is running under its identity until it has ended', async () => {
    const { child, identity } = start('sleep', '60');
    expect(isRunning(identity)).toBe(true);
    expect(identify(identity.pid)).toEqual(identity);
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(isRunning(identity)).toBe(false);
    expect(identify(identity.pid)).toBeNull();
  });

  test('is not the one that had its pid before, nor the one that had it in another boot', () => {
    const { identity } = start('sleep', '60');
    expect(isRunning({ ...identity, startTime: `${identity.startTime}1` })).toBe(false);
    expect(isRunning({ ...identity, boot: 'another' })).toBe(false);
    expect(isRunning(identity, { ...place, boot: 'another' })).toBe(false);
  });

  test('that is dead but not reaped is not running', async () => {
    // The shell execs a sleep, which does not wait for children; only then does the child end.
    const folder = testFolder();
    const { child } = start('sh', '-c', `until [ -e ${folder}/go ]; do :; done & echo $!; exec sleep 60`);
    const [line] = (await once(child.stdout ?? child, 'data')) as [Buffer];
    await vi.waitUntil(() => readFileSync(`/proc/${child.pid}/comm`, 'utf8') === 'sleep\n', { interval: 5 });
    const living = identify(Number(line));
    expect(living).not.toBeNull();
    writeFileSync(join(folder, 'go'), '');
    await vi.waitUntil(() => identify(Number(line)) === null, { interval: 5 });
    process.kill(Number(line), 0);
    expect(identifyChild(Number(line))).toEqual(living);
  });

  test('may have a name that looks like the fields behind it', () => {
    const sleep = findProgram('sleep', process.env.PATH, '/');
    const odd = join(testFolder(), 'a) Z 1 (b');
    copyFileSync(sleep ?? '', odd);
    const { identity } = start(odd, '60');
    expect(isRunning(identity)).toBe(true);
    expect(Number(identity.startTime)).toBeGreaterThan(1000);
  });

  test('began after the boot and not before us, by the clock on the wall', () => {
    const { identity } = start('sleep', '60');
    expect(startedAt(process.pid)).toBe(performance.timeOrigin);
    expect(startedAt(identity.pid)).toBeGreaterThanOrEqual(performance.timeOrigin);
    expect(bootedAt()).toBeLessThan(performance.timeOrigin);
  });

  test('that never was has no identity', () => {
    expect(identify(2 ** 30)).toBeNull();
    expect(startedAt(2 ** 30)).toBeNull();
  });
});

test('this place is a machine, one boot of it and one pid namespace, and does not change', () => {
  expect(thisMachine()).toEqual(place);
  expect(place.pidNamespace).toBe(readlinkSync('/proc/self/ns/pid'));
  expect(place.boot).toMatch(/^[0-9a-f-]{36}$/);
  expect(place.machine).not.toBe('');
});
