import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { endOf, nodeProgram, startProgram } from '../../test/support/programs/node-program.ts';
import { identify, type MachineIdentity, thisMachine } from '../process/identity/identity.ts';
import { type Holder, isLocked, type Lock, lockHolder, ownName, tryLock } from './lock.ts';

const place = thisMachine();
let folder: string;

beforeEach(() => {
  folder = join(testFolder(), 'lock');
});

function lock(): Lock {
  const attempt = tryLock(folder, 'test');
  if (!attempt.got) throw new Error(`held by ${attempt.holder.pid}`);
  return attempt.lock;
}

/** Leaves a lock of this living process in the form of an older release, except for what is forged. */
function leaveHolder(forged: Partial<Holder & { place: MachineIdentity }>): string {
  const self = identify(process.pid);
  if (self === null) throw new Error('this process does not find itself');
  const file = join(folder, 'holder-1-1.json');
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, JSON.stringify({ v: 1, ...self, place, purpose: 'forged', ...forged }));
  return file;
}

describe('one holder', () => {
  test('has the lock until it is released, and nothing is left then', () => {
    const held = lock();
    expect(readdirSync(folder)).toHaveLength(1);
    held.release();
    expect(readdirSync(folder)).toEqual([]);
    lock().release();
  });

  test('is named to the process that is refused, also within its own process, and keeps the lock', () => {
    const held = lock();
    for (const _ of [1, 2]) {
      const refused = tryLock(folder, 'second');
      expect(refused).toMatchObject({
        got: false,
        foreign: false,
        holder: { pid: process.pid, purpose: 'test' },
      });
    }
    expect(readdirSync(folder)).toHaveLength(1);
    held.release();
  });

  test('is written for the user only', () => {
    const held = lock();
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    held.release();
  });
});

describe('a holder that may be gone', () => {
  const part = (index: number, value: string) => ownName().split('.').with(index, value).join('.');

  test.each([
    ['whose pid is another process now', part(5, 'fffffff')],
    ['from before the machine restarted', part(2, 'fffffff')],
    ['that no process has', part(4, '999999999')],
  ])('%s is robbed', (_which, name) => {
    mkdirSync(folder, { recursive: true });
    symlinkSync(`${name}.1 a loop`, join(folder, 'holder'));
    expect(isLocked(folder)).toBe(false);
    lock().release();
    expect(readdirSync(folder)).toEqual([]);
  });

  test('on another machine is never robbed, and is reported as such', () => {
    mkdirSync(folder, { recursive: true });
    symlinkSync(`${part(1, 'fffffff')}.1 a loop`, join(folder, 'holder'));
    const file = join(folder, 'holder');
    const holder = { pid: process.pid, purpose: 'a loop' };
    expect(tryLock(folder, 'test')).toMatchObject({ got: false, foreign: true, file, holder });
    expect(lockHolder(folder)).toBeNull();
    expect(isLocked(folder)).toBe(true);
  });

  test('of an earlier release keeps its lock for as long as it lives', () => {
    leaveHolder({});
    expect(tryLock(folder, 'test')).toMatchObject({ got: false, foreign: false, holder: { purpose: 'forged' } });
    expect(lockHolder(folder)).toMatchObject({ pid: process.pid, purpose: 'forged' });
    expect(readdirSync(folder)).toEqual(['holder-1-1.json']);
  });

  test('is robbed when its pid was given to another process, and what it left is cleared away', () => {
    const file = leaveHolder({ startTime: '1' });
    lock().release();
    expect(existsSync(file)).toBe(false);
  });

  test('is robbed when the machine has restarted, whatever its container was', () => {
    const file = leaveHolder({ boot: 'b0', place: { ...place, boot: 'b0', pidNamespace: 'pid:[1]' } });
    lock().release();
    expect(existsSync(file)).toBe(false);
  });

  test.each([
    ['on another machine', { ...place, machine: 'elsewhere' }],
    ['on another machine, in another boot', { ...place, machine: 'elsewhere', boot: 'b0' }],
    ['in another container', { ...place, pidNamespace: 'pid:[1]' }],
  ])('is never robbed %s, where it cannot be seen from here', (_where, elsewhere) => {
    const file = leaveHolder({ pid: 999_999_999, startTime: '1', boot: elsewhere.boot, place: elsewhere });
    expect(tryLock(folder, 'test')).toMatchObject({ got: false, foreign: true, file });
    expect(readdirSync(folder)).toHaveLength(1);
  });

  test('is robbed when it was killed: kill -9 leaves no lock behind', async () => {
    const program = await nodeProgram(`
      import { tryLock } from './src/state/lock.ts';
      console.log(tryLock(process.argv[2], 'child').got);
      process.stdin.resume();`);
    const child = startProgram(program, [folder]);
    onTestFinished(() => void child.kill('SIGKILL'));
    const [said] = (await once(child.stdout ?? child, 'data')) as [Buffer];
    expect(said.toString()).toBe('true\n');
    expect(tryLock(folder, 'test')).toMatchObject({ got: false, holder: { pid: child.pid, purpose: 'child' } });
    child.kill('SIGKILL');
    await once(child, 'exit');
    lock().release();
  });
});

test('twenty processes at once: never two holders, and each has its turn', async () => {
  const log = join(testFolder(), 'log');
  const program = await nodeProgram(`
    import { appendFileSync } from 'node:fs';
    import { tryLock } from './src/state/lock.ts';
    const [, , folder, log] = process.argv;
    // Everybody is ready before anybody begins.
    console.log('ready');
    process.stdin.resume().once('end', () => {
      for (let turns = 0; turns < 2; ) {
        const attempt = tryLock(folder, 'contender');
        if (!attempt.got) continue;
        appendFileSync(log, 'enter ' + process.pid + '\\n');
        appendFileSync(log, 'leave ' + process.pid + '\\n');
        attempt.lock.release();
        turns++;
      }
    });`);
  const children = Array.from({ length: 20 }, () => startProgram(program, [folder, log]));
  onTestFinished(() => children.forEach((child) => void child.kill('SIGKILL')));
  const ends = children.map(endOf);
  await Promise.all(children.map((child) => once(child.stdout ?? child, 'data')));
  for (const child of children) child.stdin?.end();
  expect((await Promise.all(ends)).map(({ exitCode }) => exitCode)).toEqual(children.map(() => 0));

  const lines = readFileSync(log, 'utf8').trim().split('\n');
  expect(lines).toHaveLength(20 * 2 * 2);
  for (let index = 0; index < lines.length; index += 2) {
    const [entered = '', left = ''] = lines.slice(index, index + 2);
    expect([entered, left]).toEqual([entered, entered.replace('enter', 'leave')]);
    expect(entered).toMatch(/^enter \d+$/);
  }
  expect(new Set(lines).size).toBe(40);
  expect(readdirSync(folder)).toEqual([]);
});

describe('lockHolder', () => {
  test('tells who holds it, and takes nothing', () => {
    expect(lockHolder(folder)).toBeNull();
    const held = lock();
    expect(lockHolder(folder)).toMatchObject({ pid: process.pid, purpose: 'test' });
    expect(readdirSync(folder)).toHaveLength(1);
    held.release();
    expect(lockHolder(folder)).toBeNull();
  });

  test('names neither the dead nor those whom we cannot see', () => {
    leaveHolder({ pid: 2 ** 22 + 1 });
    expect(lockHolder(folder)).toBeNull();
    leaveHolder({ place: { ...place, machine: 'another' } });
    expect(lockHolder(folder)).toBeNull();
    // The lock of the other machine is still there.
    expect(readdirSync(folder)).toHaveLength(1);
  });
});

test('a look whether it is held takes nothing: a process that comes meanwhile is not refused', () => {
  expect(isLocked(folder)).toBe(false);
  expect(existsSync(folder)).toBe(false);
  const held = lock();
  const before = readdirSync(folder);
  expect(isLocked(folder)).toBe(true);
  expect(readdirSync(folder)).toEqual(before);
  held.release();
  expect(isLocked(folder)).toBe(false);
});
