import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import { appendMessage } from './append.ts';
import { readMessages } from './read.ts';
import { readTailWhere } from './read-tail-where.ts';

test('finds the last of a kind however many others stand behind them, and says where the bus ends', async () => {
  const path = join(testFolder(), 'TASK-MESSAGE-BUS.md');
  for (let n = 0; n < 250; n++) {
    await appendMessage(path, { type: n === 3 || n === 7 ? 'FACT' : 'INFO', projectId: 'p', body: String(n) });
  }
  const facts = (count: number): string[] =>
    readTailWhere(path, count, ({ type }) => type === 'FACT').messages.map(({ body }) => body);
  expect(facts(1)).toEqual(['7']);
  expect(facts(2)).toEqual(['3', '7']);
  expect(facts(300)).toEqual(['3', '7']);
  expect(readTailWhere(path, 2, ({ type }) => type === 'ERROR').messages).toEqual([]);
  expect(readTailWhere(path, 1, () => true).end).toBe(readMessages(path).end);
});
