import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { testFolder } from '../../../test/support/folder.ts';
import { summaryOf, unifiedDiff } from '../install-hooks.ts';

const text = fc
  .tuple(fc.array(fc.constantFrom('a', 'b', 'c', 'd', '', '  x'), { maxLength: 40 }), fc.boolean())
  .map(([lines, hasEnd]) => `${lines.join('\n')}${hasEnd ? '\n' : ''}`);

test('git apply turns the old text into the new one', () => {
  const folder = testFolder();
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

const plan = {
  changes: [
    { path: '/home/me/.codex/hooks.json', before: '{}', after: '{"hooks": {}}' },
    { path: '/home/me/.codex/skills/a/SKILL.md', before: 'old', after: 'new' },
    { path: '/home/me/.codex/skills/b/SKILL.md', before: null, after: 'new' },
    { path: '/home/me/.codex/skills/c/SKILL.md', before: 'old', after: null },
    { path: '/home/me/.codex/own.md', before: null, after: 'new' },
  ],
  written: {},
  left: [],
};
const settings = { path: '/home/me/.codex/hooks.json', comments: false, groups: { Stop: { hooks: [] } } };

test('new, changed and removed files are distinguished; a folder elsewhere has its full path', () => {
  const summary = summaryOf(plan, { folder: '/home/me/.codex', settings, cwd: '/home/me/..project' }, false);
  expect(summary).toBe(
    '1 hook into /home/me/.codex/hooks.json, 1 new file in /home/me/.codex/skills/, 1 changed file in /home/me/.codex/skills/, 1 file away from /home/me/.codex/skills/, 1 new file in /home/me/.codex/.',
  );
});

test('a folder within this one has its path from here', () => {
  const summary = summaryOf(plan, { folder: '/home/me/.codex', settings: null, cwd: '/home/me' }, false);
  expect(summary).not.toContain('/home');
});
