import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { endOf, nodeProgram, startProgram } from '../../test/support/programs/node-program.ts';
import { writeProjection } from './projection.ts';

test('a projection is replaced as a whole, for the user only, and leaves nothing beside it', () => {
  const folder = testFolder();
  const path = join(folder, 'status.json');
  writeProjection(path, 'first, and longer');
  writeProjection(path, 'second');
  expect(readFileSync(path, 'utf8')).toBe('second');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(['status.json']);
});

test('what a writer left half-done when it died does not get in the way', () => {
  const path = join(testFolder(), 'status.json');
  writeFileSync(`${path}.next`, 'half');
  writeProjection(path, 'whole');
  expect(readFileSync(path, 'utf8')).toBe('whole');
});

test('what cannot be written leaves nothing beside it', () => {
  const folder = testFolder();
  mkdirSync(join(folder, 'status.json', 'x'), { recursive: true });
  expect(() => writeProjection(join(folder, 'status.json'), 'new')).toThrow();
  expect(readdirSync(folder)).toEqual(['status.json']);
});

test('a reader never sees a projection half-written', async () => {
  const path = join(testFolder(), 'status.json');
  writeProjection(path, 'b'.repeat(500_000));
  const program = await nodeProgram(`
    import { writeProjection } from './src/state/projection.ts';
    for (let i = 0; i < 100; i++) writeProjection(process.argv[2], (i % 2 ? 'a' : 'b').repeat(500_000));`);
  const child = startProgram(program, [path]);
  onTestFinished(() => void child.kill('SIGKILL'));
  const end = endOf(child);
  let reads = 0;
  while (child.exitCode === null && child.signalCode === null) {
    const text = readFileSync(path, 'latin1');
    expect(text).toHaveLength(500_000);
    expect(text.startsWith('a') ? text.includes('b') : text.includes('a')).toBe(false);
    reads++;
    await new Promise((resolve) => setImmediate(resolve));
  }
  await expect(end).resolves.toMatchObject({ exitCode: 0 });
  expect(reads).toBeGreaterThan(1);
});
