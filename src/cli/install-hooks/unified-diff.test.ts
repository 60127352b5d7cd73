import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { testFolderInMemory } from '../../../test/support/folder.ts';
import { unifiedDiff } from './unified-diff.ts';

const text = fc
  .tuple(fc.array(fc.constantFrom('a', 'b', 'c', 'd', '', '  x'), { maxLength: 40 }), fc.boolean())
  .map(([lines, hasEnd]) => `${lines.join('\n')}${hasEnd ? '\n' : ''}`);

test('git makes the one text of the other by it', () => {
  const folder = testFolderInMemory();
  const file = join(folder, 'file');
  fc.assert(
    fc.property(text, text, (before, after) => {
      fc.pre(before !== after && before !== '' && after !== '');
      writeFileSync(file, before);
      const patch = `${unifiedDiff({ path: 'file', before, after }).join('\n')}\n`;
      execFileSync('git', ['apply', '-p0', '--whitespace=nowarn', '-'], { cwd: folder, input: patch });
      expect(readFileSync(file, 'utf8')).toBe(after);
    }),
    { numRuns: 150 },
  );
});

test('a new file, a removed one, and what is far from a change', () => {
  expect(unifiedDiff({ path: 'f', before: null, after: 'a\nb\n' })).toEqual([
    '--- /dev/null',
    '+++ f',
    '@@ -0,0 +1,2 @@',
    '+a',
    '+b',
  ]);
  expect(unifiedDiff({ path: 'f', before: 'a', after: null })).toEqual([
    '--- f',
    '+++ /dev/null',
    '@@ -1,1 +0,0 @@',
    '-a',
    '\\ No newline at end of file',
  ]);
  const lines = (middle: string): string => ['1', '2', '3', '4', middle, '6', '7', '8', '9', ''].join('\n');
  expect(unifiedDiff({ path: 'f', before: lines('5'), after: lines('five') }).slice(2)).toEqual([
    '@@ -2,7 +2,7 @@',
    ' 2',
    ' 3',
    ' 4',
    '-5',
    '+five',
    ' 6',
    ' 7',
    ' 8',
  ]);
});
