import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { lstatSync, readdirSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { endOf, nodeProgram, startProgram } from '../../test/support/programs/node-program.ts';
import { appendMessage } from '../bus/append.ts';
import { readMessages } from '../bus/read.ts';
import type { RalphError } from '../core/error.ts';
import { inPidNamespace, pidNamespacesWork } from '../process/containment/containment.ts';
import { thisMachine } from '../process/identity/identity.ts';
import { makeLink, ownName, removeLink } from './lock.ts';
import { lockOf } from './under-lock.ts';

let bus: string;
const asRoot = process.getuid?.() === 0;
/** Only the initial namespace can see all others. */
const isSeeingAll = thisMachine().pidNamespace === 'pid:[4026531836]';
const draft = { type: 'FACT', projectId: 'p', body: 'text' };
const soon = { lockTimeoutMs: 20, pauseMs: 10 };

beforeEach(() => {
  bus = join(testFolder(), 'bus.md');
});

describe('a lock that is held', () => {
  test('is waited for', async () => {
    expect(makeLink(lockOf(bus))).toBeNull();
    const appended = appendMessage(bus, draft);
    expect(readdirSync(join(bus, '..'))).toEqual(['bus.md.lock']);
    removeLink(lockOf(bus));
    await appended;
    expect(readMessages(bus).messages).toHaveLength(1);
  });

  test('too long is reported with its holder and what one can do, after three tries', async () => {
    expect(makeLink(lockOf(bus))).toBeNull();
    await expect(appendMessage(bus, draft, soon)).rejects.toMatchObject({
      code: 'BUS_LOCKED',
      message: `message bus ${bus} is locked by process ${process.pid} (3 tries)`,
      advice: { exitCode: 1, hint: expect.stringContaining(`rm ${lockOf(bus)}`) },
    });
    expect(readlinkSync(lockOf(bus))).toMatch(`.${process.pid}.`);
  });

  test('is short enough for the file system to keep it without a block of its own', () => {
    expect(makeLink(lockOf(bus))).toBeNull();
    expect(readlinkSync(lockOf(bus)).length).toBeLessThan(60);
  });

  test('is no longer waited for when told so', async () => {
    expect(makeLink(lockOf(bus))).toBeNull();
    const stop = new AbortController();
    const appended = appendMessage(bus, draft, { signal: stop.signal });
    stop.abort();
    await expect(appended).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('a holder that may be gone', () => {
  const part = (index: number, value: string) => ownName().split('.').with(index, value).join('.');

  test.each([
    ['whose pid is another process now', part(5, 'fffffff')],
    ['from before the machine restarted', part(2, 'fffffff')],
    ['that no process has', part(4, '999999999')],
  ])('%s is robbed', async (_which, name) => {
    symlinkSync(`${name}.1`, lockOf(bus));
    await appendMessage(bus, draft);
    expect(readdirSync(join(bus, '..'))).toEqual(['bus.md']);
  });

  test.each([
    ['on another machine', part(1, 'fffffff')],
    ['of another program', 'stranger@elsewhere.1'],
  ])('%s is never robbed', async (_which, name) => {
    symlinkSync(`${name}.1`, lockOf(bus));
    await expect(appendMessage(bus, draft, soon)).rejects.toMatchObject({ code: 'BUS_LOCKED' });
    expect(readlinkSync(lockOf(bus))).toBe(`${name}.1`);
  });

  test.runIf(pidNamespacesWork(asRoot))('in another container is robbed once no process is left there', async () => {
    const [command, ...args] = inPidNamespace([process.execPath, await nodeProgram(HOLDER), bus], asRoot);
    const container = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void container.kill('SIGKILL'));
    await once(container.stdout, 'data');
    await expect(appendMessage(bus, draft, soon)).rejects.toMatchObject({ code: 'BUS_LOCKED' });
    const gone = once(container, 'exit');
    // The whole namespace ends with its parent process.
    container.kill('SIGKILL');
    await gone;
    // The lock stays if not all namespaces are visible.
    const refusal = await appendMessage(bus, draft, isSeeingAll ? {} : soon).then(
      () => null,
      ({ code }: RalphError) => code,
    );
    expect(refusal).toBe(isSeeingAll ? null : 'BUS_LOCKED');
  });

  test.runIf(pidNamespacesWork(asRoot) && isSeeingAll)(
    'outside of our own container is never robbed: we could not see it',
    async () => {
      symlinkSync(`${part(3, 'fffffff')}.1`, lockOf(bus));
      const lines = `
        import { appendMessage } from './src/bus/append.ts';
        await appendMessage(process.argv[2], ${JSON.stringify(draft)}, ${JSON.stringify(soon)}).catch(({ code }) => console.log(code));`;
      const [command, ...args] = inPidNamespace([process.execPath, await nodeProgram(lines), bus], asRoot);
      expect(execFileSync(command, args, { encoding: 'utf8' })).toBe('BUS_LOCKED\n');
    },
  );

  test('with a file for a lock is never robbed', async () => {
    writeFileSync(lockOf(bus), '');
    await expect(appendMessage(bus, draft, soon)).rejects.toMatchObject({
      message: `message bus ${bus} is locked by another process (3 tries)`,
    });
    expect(lstatSync(lockOf(bus)).isFile()).toBe(true);
  });

  test('because it was killed is robbed by one of ten, and all ten get their turn', async () => {
    const child = startProgram(await nodeProgram(HOLDER), [bus]);
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout ?? child, 'data');
    const program = await nodeProgram(WRITER);
    const others = Array.from({ length: 10 }, () => startProgram(program, [bus]));
    onTestFinished(() => others.forEach((other) => void other.kill('SIGKILL')));
    const ends = others.map(endOf);
    await Promise.all(others.map((other) => once(other.stdout ?? other, 'data')));
    child.kill('SIGKILL');
    expect((await Promise.all(ends)).map(({ exitCode }) => exitCode)).toEqual(others.map(() => 0));
    expect(readMessages(bus).messages).toHaveLength(10);
    expect(readdirSync(join(bus, '..'))).toEqual(['bus.md']);
  });
});

const HOLDER = `
  import { makeLink } from './src/state/lock.ts';
  import { lockOf } from './src/state/under-lock.ts';
  console.log(makeLink(lockOf(process.argv[2])));
  process.stdin.resume();`;

const WRITER = `
  import { appendMessage } from './src/bus/append.ts';
  const appended = appendMessage(process.argv[2], { type: 'FACT', projectId: 'p', body: String(process.pid) });
  console.log('waiting');
  await appended;`;
