import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { recordedScreen } from '../../../test/support/recorded/screens.ts';
import { parseDonePattern } from './done-pattern.ts';
import { doneMatcher } from './match.ts';

const PROMPT = `study the plan and pick a task
- when nothing is left, print "All tasks complete" and stop
- **commit** when \`npm test\` is green
`;

test('a match is found wherever the output is cut', () => {
  const output = Buffer.from('\u001b[1mgrüße\u001b[0m\r\nAll \u001b[32mtasks\u001b[0m complete\r\n> ');
  fc.assert(
    fc.property(fc.array(fc.nat(output.length)), (cuts) => {
      const matcher = matcherOf('All tasks complete', 'x');
      const at = [0, ...cuts.sort((a, b) => a - b), output.length];
      const said = at.map((end, i) => matcher.push(output.subarray(at[i - 1] ?? 0, end)));
      expect(said.at(-1)).toBe(true);
    }),
  );
});

test('also behind megabytes of other output', () => {
  const matcher = matcherOf('All tasks complete', PROMPT);
  for (let i = 0; i < 200; i++) expect(matcher.push(Buffer.from('still working on it\r\n'.repeat(500)))).toBe(false);
  expect(matcher.push(Buffer.from('All tasks'))).toBe(false);
  expect(matcher.push(Buffer.from(' complete\r\n'))).toBe(true);
});

const WIDTHS = [20, 33, 47, 80, 200];

test.each(WIDTHS)('the echo of the prompt is none, wrapped at %i columns, framed, or without its markdown', (width) => {
  const wrapped = PROMPT.split('\n').flatMap((line) => line.match(new RegExp(`.{1,${width}}`, 'g')) ?? ['']);
  const echoes = [
    wrapped.join('\r\n'),
    wrapped.join('\r'),
    wrapped.map((line) => `│ ${line.padEnd(width)} │`).join('\r\n'),
    wrapped.map((line, i) => (i === 0 ? `❯ ${line}` : `  ${line}`)).join('\u001b[1E'),
    wrapped.join('\n').replaceAll(/[`*]/g, ''),
    // Scrolled: only its last lines are left on the screen.
    wrapped.slice(-wrapped.length / 2).join('\r\n'),
  ];
  for (const echo of echoes) {
    const matcher = matcherOf('All tasks complete', PROMPT);
    for (const byte of Buffer.from(`${echo}\r\nworking\r\n`)) expect(matcher.push(Buffer.of(byte))).toBe(false);
    expect(matcher.look(echo)).toBe(false);
    expect(matcher.push(Buffer.from('● All tasks complete\r\n\r\n'))).toBe(true);
  }
});

test('a prompt that begins with the words is not taken for them while its echo is still coming', () => {
  const prompt = 'All tasks complete is what you print at the end';
  const matcher = matcherOf('All tasks complete', prompt);
  for (const byte of Buffer.from(prompt)) expect(matcher.push(Buffer.of(byte))).toBe(false);
  expect(matcher.end()).toBe(false);
});

test('words of the agent that stand at the very end count when nothing more comes', () => {
  const matcher = matcherOf('All tasks complete', PROMPT);
  expect(matcher.push(Buffer.from('All tasks complete'))).toBe(false);
  expect(matcher.end()).toBe(true);
});

test('a match that spans an echo and other words is none', () => {
  const prompt = 'Update PLAN.md until everything in it is ticked, then say so.';
  const matcher = matcherOf('(?s)PLAN.md.*100%', prompt);
  expect(matcher.push(Buffer.from(`${prompt}\r\nnpm test: 100%\r\n`))).toBe(false);
  expect(matcher.push(Buffer.from('PLAN.md is at 100%\r\n'))).toBe(true);
});

test('the end of what came so far is not the end', () => {
  const matcher = matcherOf('done$', 'x');
  expect(matcher.push(Buffer.from('done'))).toBe(false);
  expect(matcher.push(Buffer.from(' for now\r\ndone'))).toBe(false);
  expect(matcher.end()).toBe(true);
});

test('the beginning of a later piece is not the beginning', () => {
  const matcher = matcherOf('^done', 'x');
  expect(matcher.push(Buffer.from('working\r\n'.repeat(5000)))).toBe(false);
  expect(matcher.push(Buffer.from('done\r\n'))).toBe(false);
  expect(matcherOf('(?m)^done$', 'x').push(Buffer.from(`${'working\r\n'.repeat(5000)}done\r\n`))).toBe(true);
});

test('a pattern that backtracks without end is given up in time', () => {
  const matcher = matcherOf('(a+)+b', 'x');
  const began = performance.now();
  expect(matcher.push(Buffer.from(`${'a'.repeat(5000)}\r\n`))).toBe(false);
  expect(performance.now() - began).toBeLessThan(5000);
  expect(matcher.isTooSlow).toBe(true);
});

test.each(['claude', 'codex', 'gemini', 'opencode', 'copilot', 'qwen', 'pi'])(
  'on the screen of %s the prompt is an echo, and the answer is not',
  (name) => {
    const prompt = 'XPROMPT do it\nline two `x` $(y) "z" !\n---\nline four';
    const { screen } = recordedScreen(name, 'idle');
    expect(matcherOf('line two', prompt).look(screen)).toBe(false);
    expect(matcherOf('(?m)four$', prompt).look(screen)).toBe(false);
    expect(matcherOf('Working on it', prompt).look(screen)).toBe(true);
  },
);

function matcherOf(pattern: string, prompt: string) {
  return doneMatcher(parseDonePattern(pattern), prompt);
}
