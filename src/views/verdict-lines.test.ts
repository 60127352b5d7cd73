import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { testFolder } from '../../test/support/folder.ts';
import type { Checked, CheckOutcome } from '../core/check.ts';
import { columnsOf } from '../stream/columns.ts';
import { painter } from './paint.ts';
import { checkLine, failureLines, ruleLine, secondsOf } from './verdict-lines.ts';

const PLAIN = painter(false);
const FAILED: CheckOutcome = { is: 'failed', how: 'exit 1', code: 1 };
const checked = (given: Partial<Checked>): Checked => ({
  index: 0,
  outcome: { is: 'passed' },
  log: '.ralph/guardrail_001_npm_test.log',
  output: '',
  truncated: false,
  durationMs: 2100,
  ...given,
});
const tail = (given: Partial<Checked>, cwd = '/'): string[] =>
  failureLines(checked({ outcome: FAILED, ...given }), cwd, { mask: (text) => text, paint: PLAIN });

test('verdicts stand in columns: mark, command, exit, duration', () => {
  const commands = ['npm test', 'npm run lint'];
  expect([
    checkLine(checked({ outcome: FAILED }), commands, PLAIN),
    checkLine(checked({ index: 1, durationMs: 800 }), commands, PLAIN),
  ]).toEqual(['✗ npm test      exit 1       2.1s', '✓ npm run lint               0.8s']);
});

test('a long exit takes no letter of a label that fits', () => {
  const outcome: CheckOutcome = { is: 'timed-out', afterMs: 300_000 };
  const line = checkLine(checked({ outcome, durationMs: 300_100 }), ['npm test', 'npm run a-longer-one'], PLAIN);
  expect(line).toBe('✗ npm test    timed out after 5m       5m');
});

test.each<[string, CheckOutcome]>([
  ['x'.repeat(200), FAILED],
  ['日本語'.repeat(40), FAILED],
  ['x'.repeat(200), { is: 'timed-out', afterMs: 5_430_000 }],
  ['x'.repeat(200), { is: 'failed', how: `2 of 12 tests\n${'日本'.repeat(90)}` }],
  ['npm test', { is: 'passed', how: `12 tests\u001b[2J ${'x'.repeat(90)}` }],
  ['two\nlines \u001b[31mred', { is: 'passed' }],
])('none is wider than a terminal, or more than a line: %s', (command, outcome) => {
  const line = checkLine(checked({ outcome, durationMs: 3_599_000 }), [command], PLAIN);
  expect(columnsOf(line)).toBeLessThanOrEqual(80);
  for (const unsafe of ['\n', '\u001b']) expect(line).not.toContain(unsafe);
});

test('colour is added where the terminal takes it, and nothing else changes', () => {
  const [red, green] = [FAILED, { is: 'passed' } as const].map((outcome) =>
    checkLine(checked({ outcome }), ['npm test'], painter(true)),
  );
  expect(red).toBe(`\u001b[31m${checkLine(checked({ outcome: FAILED }), ['npm test'], PLAIN)}\u001b[39m`);
  expect(green?.startsWith('\u001b[32m✓ npm test')).toBe(true);
});

test('a failure shows its last six lines with words on them, printable, then its log', () => {
  const output = `${[1, 2, 3, 4, 5, 6, 7].map((n) => `line ${n}\n\n`).join('')}\t\u001b[31mlast\u001b[0m\r\n`;
  expect(tail({ output })).toEqual([
    ...[3, 4, 5, 6, 7].map((n) => `    line ${n}`),
    '      last',
    '    .ralph/guardrail_001_npm_test.log',
  ]);
  expect(tail({ output: 'x'.repeat(500) })[0]).toHaveLength(80);
});

test('of a failure of which only the start was kept, the end is read from its log', () => {
  const cwd = testFolder();
  writeFileSync(join(cwd, 'log'), `${'first\n'.repeat(5000)}the end\n`);
  expect(tail({ output: 'first\nfirst', truncated: true, log: 'log' }, cwd).at(-2)).toBe('    the end');
  expect(tail({ output: 'first', truncated: true, log: 'no such file' }, cwd)).toEqual(['    no such file']);
});

test('keys are hidden before a line is cut', () => {
  const mask = (text: string): string => text.replaceAll('secret'.repeat(20), '***');
  const given = { mask, paint: PLAIN };
  expect(failureLines(checked({ outcome: FAILED, output: 'secret'.repeat(20) }), '/', given)[0]).toBe('    ***');
});

test('one that passed says nothing more', () => {
  expect(failureLines(checked({ output: 'words' }), '/', { mask: (text) => text, paint: PLAIN })).toEqual([]);
});

test('the rule is as wide as the screen allows, up to 72', () => {
  expect(ruleLine('2/10', 100)).toBe(`── 2/10 ${'─'.repeat(64)}`);
  expect(ruleLine('2/10', undefined)).toHaveLength(72);
  expect(ruleLine('2/10', 40)).toHaveLength(40);
});

test.each([
  [40, '0.0s'],
  [800, '0.8s'],
  [59_940, '59.9s'],
  [59_960, '1m'],
  [192_000, '3m 12s'],
])('%d ms are %s', (ms, words) => {
  expect(secondsOf(ms)).toBe(words);
});
