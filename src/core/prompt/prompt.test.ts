import { describe, expect, test } from 'vitest';
import { type FailAction, type Feedback, promptWithCount, promptWithFeedback } from './prompt.ts';

function failure(failAction: FailAction, given: Partial<Feedback> = {}): Feedback {
  return {
    command: 'make',
    exitCode: 2,
    how: 'exit 2',
    failAction,
    hint: null,
    log: 'log',
    output: 'out',
    truncated: false,
    ...given,
  };
}

/** Prompts short enough to read: each failure is just its command. */
function order(...failures: readonly Feedback[]): string[] {
  return promptWithFeedback('BASE', failures)
    .split('\n\n')
    .map((part) => /^Guardrail "(.*)" failed/.exec(part)?.[1] ?? part);
}

test('control characters in output are shown as U+FFFD; tabs and line ends stay', () => {
  const output = 'a\0b\u001b[31mred\tx\r\ny\rz\u009b\n';
  const prompt = promptWithFeedback('BASE', [failure('REPLACE', { output })]);
  expect(prompt.split('(truncated):\n')[1]).toBe('a\uFFFDb\uFFFD[31mred\tx\ny\uFFFDz\uFFFD\n');
});

test('the message about a failure is that of seed 001, to the letter', () => {
  const given = {
    command: 'make lint',
    exitCode: 3,
    hint: 'Only lint.',
    log: '.ralph/guardrail_001_make_lint.log',
    output: 'x.ts:1\n',
  };
  expect(promptWithFeedback('Do it.', [failure('APPEND', given)])).toBe(
    'Do it.\n' +
      '\n' +
      'Guardrail "make lint" failed with exit code 3.\n' +
      'Hint: Only lint.\n' +
      'Output file: .ralph/guardrail_001_make_lint.log\n' +
      'Output (truncated):\n' +
      'x.ts:1\n',
  );
});

test('a check that is no command says how it failed, without control characters', () => {
  const given = { command: 'tests of report.xml', exitCode: null, how: 'all \u001b[31m12 tests were skipped' };
  expect(promptWithFeedback('', [failure('REPLACE', given)])).toMatch(
    /^Guardrail "tests of report\.xml" failed: all \uFFFD\[31m12 tests were skipped\.\n/,
  );
});

test('without a hint there is no line for it, and cut output says so', () => {
  expect(promptWithFeedback('', [failure('REPLACE', { truncated: true })])).toBe(
    'Guardrail "make" failed with exit code 2.\nOutput file: log\nOutput (truncated):\nout... [truncated]',
  );
});

test('a hint is literal and whole', () => {
  const hint = `$1 \${x} %s {{y}} ${'long '.repeat(3000)}`;
  expect(promptWithFeedback('', [failure('APPEND', { hint })])).toContain(`Hint: ${hint}\n`);
});

describe('several failures', () => {
  const a = { command: 'a' };
  const b = { command: 'b' };
  const c = { command: 'c' };

  test('are applied in the order of the settings to the growing prompt', () => {
    expect(order(failure('APPEND', a), failure('APPEND', b))).toEqual(['BASE', 'a', 'b']);
    expect(order(failure('PREPEND', a), failure('PREPEND', b))).toEqual(['b', 'a', 'BASE']);
    expect(order(failure('APPEND', a), failure('PREPEND', b), failure('APPEND', c))).toEqual(['b', 'BASE', 'a', 'c']);
  });

  test('a REPLACE discards everything before it, and nothing after it', () => {
    expect(order(failure('APPEND', a), failure('REPLACE', b), failure('APPEND', c))).toEqual(['b', 'c']);
  });

  test('no failures leave the prompt as it is', () => {
    expect(promptWithFeedback('  BASE\n', [])).toBe('  BASE\n');
  });
});

test('the iteration comes before the prompt, with how many remain', () => {
  expect(promptWithCount('Do it.', 1, 10)).toBe('Iteration 1 of 10, 9 remaining.\n\nDo it.');
  expect(promptWithCount('Do it.', 10, 10)).toBe('Iteration 10 of 10, 0 remaining.\n\nDo it.');
});
