import { appendFileSync, mkdirSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { endOf, newLines } from './transcript-lines.ts';

test('a transcript that moves with its history keeps what was read', () => {
  const { path, add } = transcript();
  add(1, 2);
  const mark = endOf(path);
  const moved = movedTo(path, 's.jsonl');
  appendFileSync(moved, '{"n":3}\n');
  expect(newLines(moved, mark)).toEqual({
    lines: [{ n: 3 }],
    mark: { transcript: moved, offset: 24 },
  });
});

test.each([
  ['of another name', 'other.jsonl', '{"n":1}\n{"n":2}\n{"n":3}\n'],
  ['that is shorter', 's.jsonl', '{"n":9}\n'],
  ['in which no line ends where the mark is', 's.jsonl', '{"n":1}\n{"n":2345}\n{"n":3}\n'],
])('of another file %s nothing is known to be news but what comes from now on', (_what, name, content) => {
  const { path, add } = transcript();
  add(1, 2);
  const mark = endOf(path);
  const other = movedTo(path, name);
  writeFileSync(other, content);
  const read = newLines(other, mark);
  expect(read).toEqual({ lines: [], mark: { transcript: other, offset: content.length } });
  appendFileSync(other, '{"n":4}\n');
  expect(newLines(other, read?.mark ?? mark)?.lines).toEqual([{ n: 4 }]);
});

test('a transcript that was not there when the loop began is all news, also when it has moved', () => {
  const { path, add } = transcript();
  const mark = endOf(path);
  add(1);
  expect(newLines(movedTo(path, 's.jsonl'), mark)?.lines).toEqual([{ n: 1 }]);
});

test('a line in the writing is none yet, neither for the mark nor for the news', () => {
  const { path, add } = transcript();
  add(1);
  appendFileSync(path, '{"n":');
  const mark = endOf(path);
  expect(mark.offset).toBe(8);
  appendFileSync(path, '2}\n{"n":3');
  const read = newLines(path, mark);
  expect(read?.lines).toEqual([{ n: 2 }]);
  appendFileSync(path, '}\n');
  expect(newLines(path, read?.mark ?? mark)?.lines).toEqual([{ n: 3 }]);
});

test('a transcript that was cut is read from its new end on', () => {
  const { path, add } = transcript();
  add(1, 2);
  const mark = endOf(path);
  truncateSync(path, 8);
  const read = newLines(path, mark);
  expect(read).toEqual({ lines: [], mark: { transcript: path, offset: 8 } });
  add(5);
  expect(newLines(path, read?.mark ?? mark)?.lines).toEqual([{ n: 5 }]);
});

function transcript(): { path: string; add(...numbers: readonly number[]): void } {
  const path = join(testFolder(), 's.jsonl');
  return {
    path,
    add: (...numbers) => {
      for (const n of numbers) appendFileSync(path, `${JSON.stringify({ n })}\n`);
    },
  };
}

function movedTo(path: string, name: string): string {
  const to = join(dirname(path), 'moved', name);
  mkdirSync(dirname(to));
  renameSync(path, to);
  return to;
}
