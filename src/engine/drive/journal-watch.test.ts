import { appendFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { record } from '../../../test/support/loops/play.ts';
import { WAITED } from '../../../test/support/loops/results.ts';
import { runNode } from '../../../test/support/programs/node-program.ts';
import { journalWatch } from './journal-watch.ts';

test('a journal that is gone is written again as it was, however many lines it had and however long they were', () => {
  const path = join(testFolder(), 'journal.jsonl');
  writeFileSync(path, 'what was there before\n');
  const watch = journalWatch(path);
  const append = (text: string): void => {
    appendFileSync(path, `${text}\n`);
    watch.appended(Buffer.from(`${text}\n`));
  };
  for (let line = 0; line < 2000; line++) append(`line ${line} ${'ä'.repeat(line % 300)}`);
  append('long'.repeat(50_000));
  append('short');
  const whole = readFileSync(path, 'utf8');
  expect(watch.harm()).toBeNull();
  rmSync(path);
  expect(watch.harm()).toBe(`${path} was removed`);
  const more = record(1, 'next', WAITED);
  watch.restore([more]);
  watch.close();
  expect(readFileSync(path, 'utf8')).toBe(`${whole}${JSON.stringify(more)}\n`);
});

test('for a long loop, it keeps little more than the journal in memory', async () => {
  const path = join(testFolder(), 'journal.jsonl');
  writeFileSync(path, '');
  const { output } = await runNode(
    `
    import { journalWatch } from './src/engine/drive/journal-watch.ts';
    const watch = journalWatch(${JSON.stringify(path)});
    const kept = () => {
      gc();
      const { arrayBuffers, heapUsed } = process.memoryUsage();
      return arrayBuffers + heapUsed;
    };
    const before = kept();
    const line = 'x'.repeat(199) + '\\n';
    for (let count = 0; count < 20_000; count++) {
      watch.appended(Buffer.from(line));
      // Stands for other memory that a loop allocates meanwhile.
      Buffer.from(line);
    }
    console.log((kept() - before) / (20_000 * line.length));
    watch.close();`,
    ['--expose-gc'],
  );
  expect(Number(output)).toBeGreaterThan(0.9);
  expect(Number(output)).toBeLessThan(1.3);
});
