import { describe, expect, test } from 'vitest';
import { firstRecord, play } from '../../../test/support/loops/play.ts';
import {
  checked,
  failed,
  git,
  guardrail,
  inputs,
  REQUEST,
  ran,
  STARTED,
  WAITED,
  worked,
} from '../../../test/support/loops/results.ts';
import { closingLines, type Left, type WorkState } from '../../core/closing/closing-summary.ts';
import { loopMachine } from '../../core/machine/machine.ts';
import type { Ran, Result } from '../../core/record.ts';
import type { LoopState } from '../../core/state.ts';
import { runClosing } from './closing.ts';
import { runRules } from './rules.ts';
import type { RunData, RunInputs } from './state.ts';

const run = loopMachine(runRules);
const LIMIT: Left = { kind: 'iteration-limit', limit: 2 };
const UNCOMMITTED: WorkState = { kind: 'uncommitted', files: 2 };
const check = [guardrail('npm test', 'APPEND')];

/** The lines between the first one and the last two. */
function detailsOf(left: Left, given: Partial<RunInputs>, ...results: readonly Result[]): string[] {
  const lines = closingLines(runClosing(stateOf(given, ...results), left, UNCOMMITTED, String));
  expect(lines.at(-2)).toBe('  2 changed files are not committed.');
  return lines.slice(lines[1]?.trim() === 'unknown' ? 2 : 1, -2).map((line) => line.trim());
}

function stateOf(given: Partial<RunInputs>, ...results: readonly Result[]): LoopState<RunData> {
  return play(run, run.begin(firstRecord('run', REQUEST)), inputs(given), STARTED, ...results);
}

function second(given: Partial<RunInputs>): Result[] {
  return [WAITED, inputs(given), STARTED];
}

describe('at the limit it says', () => {
  test('how often the agent said that it was done, and what stayed red', () => {
    const given = { guardrails: check, maximumIterations: 2 };
    const red = checked(0, false);
    expect(detailsOf(LIMIT, given, worked('DONE'), red, ...second(given), worked('done'), red)).toEqual([
      '"npm test" stayed red (exit 1, log .ralph/0.log).',
      'The agent said DONE twice.',
    ]);
  });

  test('that all was green and the agent never said it', () => {
    const given = { guardrails: check, maximumIterations: 2 };
    const green = checked(0, true);
    expect(detailsOf(LIMIT, given, worked(), green, ...second(given), worked('no'), green).join(' ')).toBe(
      'All guardrails were green twice, but the agent never said <response>DONE</response>. Your prompt does not ask for it.',
    );
  });

  test.each([
    ['Then say <response>DONE</response>.', 'The agent never said <response>DONE</response>.'],
    ['Do it.', 'The agent never said <response>DONE</response>. Your prompt does not ask for it.'],
  ])('whether the prompt asks for it: %s', (prompt, sentence) => {
    expect(detailsOf(LIMIT, { prompt, maximumIterations: 1 }, worked()).join(' ')).toBe(sentence);
  });

  test('that only blanks in the tag were wrong', () => {
    expect(detailsOf(LIMIT, { maximumIterations: 1 }, worked(' DONE ')).join(' ')).toBe(
      'The agent said <response> DONE </response>; only <response>DONE</response> counts, without spaces.',
    );
  });

  test('that it was said, but never while all guardrails were green', () => {
    const given = { guardrails: check, maximumIterations: 2 };
    const results = [worked('DONE'), checked(0, false), ...second(given), worked(), checked(0, true)];
    expect(detailsOf(LIMIT, given, ...results)).toEqual([
      'The agent said DONE once, but not while all guardrails were green.',
    ]);
  });
});

describe('failed iterations are reported at the limit', () => {
  const boom: Result = { ...(failed() as Ran), kind: 'ran', complaint: 'boom' };

  test('all of them, if nothing else is the cause', () => {
    expect(detailsOf(LIMIT, {}, failed(), ...second({}), boom)).toEqual([
      'The agent failed in 2 of 2 iterations; the last failure: exit 1: boom',
    ]);
  });

  test('some of them, in which the agent could say nothing', () => {
    const late = ran({ kind: 'failed', exit: { by: 'timeout', afterMs: 1000 } });
    const said = detailsOf(
      { kind: 'iteration-limit', limit: 3 },
      {},
      boom,
      ...second({}),
      worked(),
      ...second({}),
      late,
    );
    expect(said.join(' ')).toBe(
      'The agent failed in 2 of 3 iterations; the last failure: timed out after 1s The agent never said <response>DONE</response>. Your prompt does not ask for it.',
    );
  });
});

describe('commits and pushes that failed are reported', () => {
  const scm = { scm: git('commit', 'push'), maximumIterations: 2 };
  const done: Result = { kind: 'published', index: 0, task: 'commit', status: 'done', detail: 'abc' };
  const failedPush: Result = {
    kind: 'published',
    index: 1,
    task: 'push',
    status: 'failed',
    detail: 'git push: exit 128: fatal: No configured push destination.\nEither specify the URL\n\n    git remote add',
  };
  const pushes = (tag: string | null) => [worked(tag), STARTED, worked('A message'), done, failedPush];
  const SENTENCE = 'git push failed twice: exit 128: fatal: No configured push destination.';

  test('at the limit, with their number', () => {
    expect(detailsOf(LIMIT, scm, ...pushes(null), ...second(scm), ...pushes(null))).toContain(SENTENCE);
  });

  test('once, if the work is done', () => {
    const left: Left = { kind: 'unpublished', reason: 'git push: exit 128: fatal: No configured\n\n  a' };
    expect(detailsOf(left, scm, ...pushes(null), ...second(scm), ...pushes('DONE'))).toEqual([SENTENCE]);
  });

  test('not when a later one went through', () => {
    const pushed: Result = { kind: 'published', index: 1, task: 'push', status: 'done', detail: '' };
    const later = [worked(), STARTED, worked('A message'), done, pushed];
    expect(detailsOf(LIMIT, scm, ...pushes(null), ...second(scm), ...later).join(' ')).not.toContain('git push failed');
  });

  test('a failed commit is reported as not committed, with its reason', () => {
    const detail = 'git commit: exit 1: Checking…\nerror: the hook says no';
    const refused: Result = { kind: 'published', index: 0, task: 'commit', status: 'failed', detail };
    const state = stateOf(scm, worked('DONE'), STARTED, worked('A message'), refused);
    const lines = closingLines(runClosing(state, { kind: 'unpublished', reason: detail }, UNCOMMITTED, String));
    expect(lines.slice(0, 2).join('\n')).toMatch(
      /^! Done in 1 iteration, but not committed · .*\n {2}git commit failed: exit 1: error: the hook says no$/,
    );
  });

  test('new files that a commit leaves out, and how to include them', () => {
    const leftBehind = { count: 2, names: ['a.txt', 'b.txt'] };
    const results = [worked('DONE'), STARTED, worked('A message'), { ...done, leftBehind } as Result];
    expect(detailsOf({ kind: 'done' }, { ...scm, scm: git('commit') }, ...results).join(' ')).toContain(
      'New files are not committed: a.txt, b.txt. To commit new files too, set scm.stage to "all" in .ralph/settings.json.',
    );
  });
});

test('an agent that kept failing is reported, with how it failed and what that can mean', () => {
  const reason = "exit 1: error: unknown option '--frobnicate'";
  const left: Left = { kind: 'kept-failing', failures: 5, reason };
  expect(detailsOf(left, {}, failed()).join(' ')).toBe(
    `The last failure: ${reason} It looks as if the agent does not know one of its flags: check agent.flags in .ralph/settings.json.`,
  );
  const other = { ...left, reason: 'exit 1: disk full' };
  expect(detailsOf(other, {}, failed())).toEqual(['The last failure: exit 1: disk full']);
});
