import { describe, expect, test } from 'vitest';
import { firstRecord, play } from '../../../test/support/loops/play.ts';
import {
  checked,
  failed,
  git,
  guardrail,
  INTERRUPTED,
  inputs,
  published,
  REQUEST,
  ran,
  STARTED,
  WAITED,
  worked,
} from '../../../test/support/loops/results.ts';
import { outcomeOfCommand } from '../../core/check.ts';
import { loopMachine } from '../../core/machine/machine.ts';
import type { Result } from '../../core/record.ts';
import type { LoopState } from '../../core/state.ts';
import { COMMIT_MESSAGE_PROMPT, templateMessage } from './commit-message.ts';
import { runRules } from './rules.ts';
import type { RunData, RunInputs } from './state.ts';

const run = loopMachine(runRules);
const lint = guardrail('make lint', 'APPEND', 'Only lint.');
const check = guardrail('make test', 'PREPEND');
const scm = git('commit', 'push');
const DONE = { at: 'end', ending: { kind: 'done' } };

function loop(given: Partial<RunInputs>, ...results: readonly Result[]): LoopState<RunData> {
  return play(run, run.begin(firstRecord('run', REQUEST)), inputs(given), STARTED, ...results);
}

describe('completion', () => {
  test('the expected response ends the loop, in upper or lower case', () => {
    expect(loop({}, worked('done')).phase).toEqual(DONE);
  });

  test.each([null, '', 'DONE ', 'not DONE', 'DONE.'])('the response %j does not', (tag) => {
    expect(loop({}, worked(tag)).phase).toMatchObject({ at: 'wait', then: 'next-iteration' });
  });

  test('a failed run never completes a loop, whatever it said', () => {
    const lie = ran({ kind: 'failed', exit: { by: 'code', code: 1 } }, 'DONE');
    expect(loop({}, lie).phase.at).toBe('wait');
  });

  test('a red guardrail keeps the loop going although the agent said DONE', () => {
    const state = loop({ guardrails: [lint] }, worked('DONE'), checked(0, false));
    expect(state.phase).toMatchObject({ at: 'wait', then: 'next-iteration' });
  });

  test('a response of an earlier iteration does not count', () => {
    const state = loop(
      { guardrails: [lint] },
      worked('DONE'),
      checked(0, false),
      WAITED,
      inputs({ guardrails: [lint] }),
      STARTED,
      worked(),
      checked(0, true),
    );
    expect(state.phase.at).toBe('wait');
  });

  test('without it the loop ends at the limit of iterations', () => {
    expect(loop({ maximumIterations: 1 }, worked()).phase).toEqual({
      at: 'end',
      ending: { kind: 'iteration-limit', limit: 1 },
    });
  });
});

describe('a guardrail that cannot be run', () => {
  const inputs_ = { guardrails: [lint, check] };
  const unrunnable = (tree: string | undefined, code = 127): Result => {
    const result = checked(0, false);
    if (result.kind !== 'checked') throw new Error('a check');
    return { ...result, outcome: { is: 'unrunnable', code, ...(tree === undefined ? {} : { tree }) } };
  };
  const again = [WAITED, inputs(inputs_), STARTED, worked()];
  const phaseAfter = (...checks: readonly [Result, Result]): LoopState<RunData>['phase'] =>
    loop(inputs_, worked(), checks[0], checked(1, true), ...again, checks[1], checked(1, true)).phase;

  test('once is an ordinary failure; twice without a change is a configuration error', () => {
    expect(loop(inputs_, worked(), unrunnable('t'), checked(1, true)).phase.at).toBe('wait');
    expect(phaseAfter(unrunnable('t'), unrunnable('t', 126))).toMatchObject({
      at: 'end',
      ending: {
        kind: 'configuration',
        reason: expect.stringContaining('guardrail "make lint"'),
        hint: expect.any(String),
      },
    });
  });

  test.each<[string, Result, Result]>([
    ['the tree has changed', unrunnable('t'), unrunnable('u')],
    ['it is not known whether the tree has changed', unrunnable(undefined), unrunnable(undefined)],
    ['it came to run in between', checked(0, false), unrunnable('t')],
  ])('the loop continues if %s', (_why, first, second) => {
    expect(phaseAfter(first, second).at).toBe('wait');
  });

  test('a green iteration resets the count', () => {
    const greens = [checked(0, true), checked(1, true)];
    const state = loop(inputs_, worked(), unrunnable('t'), checked(1, true), ...again, ...greens, ...again);
    expect(play(run, state, unrunnable('t'), checked(1, true)).phase.at).toBe('wait');
  });
});

describe('guardrails', () => {
  const both = { guardrails: [lint, check] };

  test('all of them run, even after one has failed, each to a log of its own', () => {
    const state = loop(both, worked(), checked(0, false));
    expect(run.next(state)).toMatchObject({
      do: 'check',
      key: '1/check/1',
      check: {
        kind: 'command',
        given: { command: 'make test' },
        index: 1,
        log: '.ralph/guardrail_001_make_test.log',
        keepChars: 5000,
      },
    });
  });

  test('their output goes into the next prompt, in the order of the settings', () => {
    const state = loop(both, worked(), checked(0, false, 'ugly'), checked(1, false, 'broken'), WAITED, inputs(both));
    expect(run.next(state)).toMatchObject({
      prompt: [
        'Guardrail "make test" failed with exit code 1.\nOutput file: .ralph/1.log\nOutput (truncated):\nbroken',
        'Do it.',
        'Guardrail "make lint" failed with exit code 1.\nHint: Only lint.\nOutput file: .ralph/0.log\nOutput (truncated):\nugly',
      ].join('\n\n'),
    });
  });

  test('their output survives a failed or interrupted run, and is gone when all are green', () => {
    const red = loop(both, worked(), checked(0, false, 'ugly'), checked(1, true), WAITED, inputs(both), STARTED);
    for (const setback of [failed(), INTERRUPTED]) {
      expect(run.next(play(run, red, setback, WAITED, inputs(both)))).toMatchObject({
        prompt: expect.stringContaining('ugly'),
      });
    }
    const green = play(run, red, worked(), checked(0, true), checked(1, true), WAITED, inputs(both));
    expect(run.next(green)).toMatchObject({ prompt: 'Do it.' });
  });

  test('a guardrail killed by a signal is reported to the agent as a shell would show it', () => {
    const outcome = outcomeOfCommand({ by: 'signal', signal: 'SIGKILL' });
    const killed: Result = { ...checked(0, false), kind: 'checked', outcome } as Result;
    const state = loop({ guardrails: [lint] }, worked(), killed, WAITED, inputs({ guardrails: [lint] }));
    expect(run.next(state)).toMatchObject({ prompt: expect.stringContaining('failed with exit code 137.') });
  });
});

describe('the prompt', () => {
  test('says which iteration it is when the settings ask for it', () => {
    const counted = { includeIterationCountInPrompt: true, maximumIterations: 3 };
    const state = loop(counted, worked(), WAITED, inputs(counted));
    expect(run.next(state)).toMatchObject({ prompt: 'Iteration 2 of 3, 1 remaining.\n\nDo it.' });
  });

  test('follows an edited file from one iteration to the next', () => {
    const state = loop({}, worked(), WAITED, inputs({ prompt: 'Do more.' }));
    expect(run.next(state)).toMatchObject({ prompt: 'Do more.' });
  });
});

describe('green work goes to the SCM', () => {
  test('with a message from a run that is only asked for an answer, in a tag that can have several lines', () => {
    const state = loop({ scm }, worked());
    expect(run.next(state)).toMatchObject({ do: 'start', prompt: COMMIT_MESSAGE_PROMPT, agent: { mode: 'answer' } });
    const asked = play(run, state, STARTED);
    expect(run.next(asked)).toMatchObject({ key: '1/message/1/await', listen: { tag: 'response', multiline: true } });
  });

  test.each<[string, Result, string]>([
    ['the tag, trimmed', worked(' Add x\n', 'Here:'), 'Add x'],
    ['the tag without the fence of a code block', worked('```\nAdd x\n```', 'Here:'), 'Add x'],
    ['the first line where there is no tag', worked(null, 'Add y'), 'Add y'],
  ])('the message is %s', (_which, said, message) => {
    const state = loop({ scm }, worked(), STARTED, said);
    expect(run.next(state)).toMatchObject({ do: 'publish', what: { command: 'git', task: 'commit', message } });
  });

  test.each<[string, Result]>([
    ['fails', failed()],
    ['says nothing', worked(null, null)],
    ['says nothing in its tag', worked('  ', 'Add z')],
    ['hangs', ran({ kind: 'hang', reason: 'silent' })],
  ])(
    'when the message run %s nothing is published, and the loop goes on without counting a failure',
    (_how, result) => {
      const state = loop({ scm }, worked(), STARTED, result);
      expect(state).toMatchObject({
        failuresInARow: 0,
        faultsInARow: 0,
        phase: { at: 'wait', until: 'now', then: 'next-iteration' },
      });
    },
  );

  test('before the response is looked at, so that finished work is published too', () => {
    const state = loop({ scm }, worked('DONE'), STARTED, worked('Add x'));
    expect(run.next(state)).toMatchObject({ key: '1/publish/0' });
    expect(run.next(play(run, state, published(0)))).toMatchObject({ key: '1/publish/1', what: { task: 'push' } });
    expect(play(run, state, published(0), published(1)).phase).toEqual(DONE);
  });

  test('a failed commit is not pushed, and the work is done but not published', () => {
    const state = loop({ scm }, worked('DONE'), STARTED, worked('Add x'), published(0, 'failed'));
    expect(state.phase).toEqual({ at: 'end', ending: { kind: 'unpublished', reason: 'abc' } });
  });

  test('so is work without a commit message', () => {
    const state = loop({ scm }, worked('DONE'), STARTED, worked(null, null));
    expect(state.phase).toMatchObject({ at: 'end', ending: { kind: 'unpublished' } });
  });

  test('what failed in an earlier iteration does not count any more', () => {
    const first = loop({ scm }, worked('no'), STARTED, worked('Add x'), published(0, 'failed'));
    const second = [WAITED, inputs({ scm }), STARTED, worked('DONE'), STARTED, worked('Add x')];
    expect(play(run, first, ...second, published(0), published(1)).phase).toEqual(DONE);
  });

  test('a clean tree needs no message: the run that would ask for one is not started', () => {
    const state = loop({ scm }, worked('DONE'));
    expect(run.next(state)).toMatchObject({ do: 'start', unlessClean: { command: 'git', stage: 'tracked' } });
    const needless = play(run, state, { kind: 'needless' });
    expect(run.next(needless)).toMatchObject({ do: 'publish', what: { task: 'commit', message: '' } });
    expect(play(run, needless, published(0, 'nothing'), published(1)).phase).toEqual(DONE);
  });

  test('tasks without a commit need no message', () => {
    const state = loop({ scm: git('push') }, worked());
    expect(run.next(state)).toMatchObject({ do: 'publish', what: { task: 'push' } });
  });

  test('red work does not', () => {
    const state = loop({ scm, guardrails: [lint] }, worked(), checked(0, false));
    expect(state.phase.at).toBe('wait');
  });
});

describe('a commit message made from the prompt', () => {
  const scm = { command: 'git', tasks: ['commit'], stage: 'tracked' as const, message: 'template' as const };

  test('needs no call of the agent', () => {
    expect(run.next(loop({ scm }, worked('DONE')))).toMatchObject({
      do: 'publish',
      what: { task: 'commit', message: 'Do it. (iteration 1)' },
    });
  });

  test.each([
    ['## Fix the tests\n\nAll of them.', 'Fix the tests (iteration 2)'],
    ['\n  - first\n  - second', 'first (iteration 2)'],
    ['word '.repeat(30), `${'word '.repeat(11)}wo… (iteration 2)`],
    ['###\n', 'Work (iteration 2)'],
  ])('is the first line with words of %j', (prompt, message) => {
    expect(templateMessage(prompt, 2)).toBe(message);
    expect([...message].length).toBeLessThanOrEqual(72);
  });
});

describe('an agent that cannot continue', () => {
  const asked = { asksForResponse: true as const, guardrails: [check] };
  const ending = { kind: 'blocked', reason: 'which database should the tests use?' };
  const says = worked('BLOCKED: which database\n should the tests use?');

  test('reads in its prompt how to say so, if the prompt can be extended', () => {
    const state = play(run, run.begin(firstRecord('run', REQUEST)), inputs(asked));
    expect(run.next(state)).toMatchObject({
      prompt: expect.stringContaining('<response>BLOCKED: your question</response>'),
    });
  });

  test('ends the loop with its question, before any check', () => {
    expect(loop(asked, says).phase).toEqual({ at: 'end', ending });
  });

  test('also ends it if the prompt itself mentions how to say so', () => {
    expect(loop({ prompt: 'Do it, or answer <response>BLOCKED: why</response>.' }, says).phase).toEqual({
      at: 'end',
      ending,
    });
  });

  test('does not end the loop if it was not told to say so', () => {
    expect(loop({}, says).phase.at).toBe('wait');
  });

  test('must say why', () => {
    expect(loop({ asksForResponse: true as const }, worked('BLOCKED: ')).phase.at).toBe('wait');
  });
});

test('of a long output, the end goes into a prompt that can be extended, and the start into one that is passed on', () => {
  const spec = (given: Partial<RunInputs>) => run.next(loop({ guardrails: [check], ...given }, worked('DONE')));
  expect(spec({ asksForResponse: true })).toMatchObject({ check: { keeps: 'end' } });
  expect(spec({})).not.toMatchObject({ check: { keeps: 'end' } });
  const long = { ...checked(0, false, 'FAILED last'), truncated: true } as Result;
  const again = (given: Partial<RunInputs>) => {
    const all = { guardrails: [check], ...given };
    return run.next(play(run, loop(all, worked('DONE')), long, WAITED, inputs(all)));
  };
  expect(again({ asksForResponse: true })).toMatchObject({
    prompt: expect.stringContaining('The end of its output:\n[truncated] ...FAILED last'),
  });
  expect(again({})).toMatchObject({
    prompt: expect.stringContaining('Output (truncated):\nFAILED last... [truncated]'),
  });
});
