import { once } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../../../../test/support/folder.ts';
import { nodeProgram, startProgram } from '../../../../test/support/programs/node-program.ts';
import { changeStateFile, isoMicroseconds, writeIn } from './files.ts';

test('a folder that is removed between its creation and the write is created again', () => {
  const folder = join(testFolder(), 'ralph', 'agent');
  let removals = 0;
  writeIn(folder, () => {
    if (removals++ < 3) rmSync(join(folder, '..'), { recursive: true });
    writeFileSync(join(folder, 'file'), 'text');
  });
  expect(readFileSync(join(folder, 'file'), 'utf8')).toBe('text');
});

test('but not forever', () => {
  const folder = join(testFolder(), 'agent');
  const write = (): void => {
    rmSync(folder, { recursive: true });
    writeFileSync(join(folder, 'file'), 'text');
  };
  expect(() => writeIn(folder, write)).toThrow('ENOENT');
});

test('a writer that waits for another change of the file sleeps meanwhile', async () => {
  const home = testFolder();
  const program = await nodeProgram(`
    import { tryLock } from './src/state/lock.ts';
    const { got, lock } = tryLock(process.argv[2], 'a change');
    console.log(got);
    setTimeout(() => lock.release(), 500);`);
  const other = startProgram(program, [join(home, 'locks/ralph-agent')]);
  onTestFinished(() => void other.kill('SIGKILL'));
  const [said] = (await once(other.stdout ?? other, 'data')) as [Buffer];
  expect(said.toString()).toBe('true\n');
  const [began, before] = [performance.now(), process.cpuUsage()];
  changeStateFile({ home, name: 'agent', warn: () => undefined }, () => null);
  const { user, system } = process.cpuUsage(before);
  const waitedMs = performance.now() - began;
  expect(waitedMs).toBeGreaterThan(200);
  expect((user + system) / 1000).toBeLessThan(waitedMs / 4);
});

test('times are local', () => {
  const at = new Date(2024, 0, 15, 10, 30, 0, 123).getTime();
  expect(isoMicroseconds(at)).toBe('2024-01-15T10:30:00.123000');
});
