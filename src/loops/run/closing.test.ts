import { describe, expect, test } from 'vitest';
import { firstRecord, play } from '../../../test/support/play.ts';
import { checked, failed, guardrail, inputs, REQUEST, STARTED, WAITED, worked } from '../../../test/support/results.ts';
import { closingLines, type Left } from '../../core/closing-summary.ts';
import { loopMachine } from '../../core/machine.ts';
import type { Result } from '../../core/record.ts';
import { runClosing } from './closing.ts';
import { type RunInputs, runRules } from './rules.ts';

const run = loopMachine(runRules);
const LIMIT: Left = { kind: 'iteration-limit', limit: 2 };
const check = [guardrail('npm test', 'APPEND')];

/** The lines between the first one and the last two. */
function detailsOf(left: Left, given: Partial<RunInputs>, ...results: readonly Result[]): string[] {
  const state = play(run, run.begin(firstRecord('run', REQUEST)), inputs(given), STARTED, ...results);
  const lines = closingLines(runClosing(state, left, { kind: 'uncommitted', files: 2 }, String));
  expect(lines.at(-2)).toBe('  2 changed files are not committed.');
  return lines.slice(lines[1]?.trim() === 'unknown' ? 2 : 1, -2).map((line) => line.trim());
}

function second(given: Partial<RunInputs>): Result[] {
  return [WAITED, inputs(given), STARTED];
}

describe('at the limit it says', () => {
  test('how often the agent said that it was done, and what stayed red', () => {
    const given = { guardrails: check, maximumIterations: 2 };
    const red = checked(0, false);
    expect(detailsOf(LIMIT, given, worked('DONE'), red, ...second(given), worked('done'), red)).toEqual([
      'npm test stayed red (exit 1, log .ralph/0.log).',
      'The agent said DONE 2 times.',
    ]);
  });

  test('that all was green and the agent never said it', () => {
    const given = { guardrails: check, maximumIterations: 2 };
    const green = checked(0, true);
    expect(detailsOf(LIMIT, given, worked(), green, ...second(given), worked('no'), green).join(' ')).toBe(
      'All guardrails were green 2 times, but the agent never said <response>DONE</response>. Your prompt does not ask for it.',
    );
  });

  test.each([
    ['Then say <response>DONE</response>.', 'The agent never said <response>DONE</response>.'],
    ['Do it.', 'The agent never said <response>DONE</response>. Your prompt does not ask for it.'],
  ])('whether the prompt asks for it: %s', (prompt, sentence) => {
    expect(detailsOf(LIMIT, { prompt, maximumIterations: 1 }, worked()).join(' ')).toBe(sentence);
  });

  test('that blanks in the tag made the difference', () => {
    expect(detailsOf(LIMIT, { maximumIterations: 1 }, worked(' DONE ')).join(' ')).toBe(
      'The agent said <response> DONE </response>; only <response>DONE</response> counts, without spaces.',
    );
  });

  test('that it was said, but never over green guardrails', () => {
    const given = { guardrails: check, maximumIterations: 2 };
    const results = [worked('DONE'), checked(0, false), ...second(given), worked(), checked(0, true)];
    expect(detailsOf(LIMIT, given, ...results)).toEqual([
      'The agent said DONE 1 time, but not while all guardrails were green.',
    ]);
  });
});

test('an agent that kept failing: with what, and what that may mean', () => {
  const reason = "exit 1: error: unknown option '--frobnicate'";
  const left: Left = { kind: 'kept-failing', failures: 5, reason };
  expect(detailsOf(left, {}, failed()).join(' ')).toBe(
    `The last failure: ${reason} It looks as if the agent does not know one of its flags: check agent.flags in .ralph/settings.json.`,
  );
  const other = { ...left, reason: 'exit 1: disk full' };
  expect(detailsOf(other, {}, failed())).toEqual(['The last failure: exit 1: disk full']);
});
