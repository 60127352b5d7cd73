import { expect, test } from 'vitest';
import { play } from '../../../../test/support/loops/play.ts';
import { failed, STARTED, WAITED, worked } from '../../../../test/support/loops/results.ts';
import { firstRecord, type Result } from '../../../core/record.ts';
import { type RalphInputs, type RalphRequest, ralphMachine } from './rules.ts';

const REQUEST: RalphRequest = {
  name: 'w',
  home: '/h',
  command: ['agent', '--flag'],
  env: {},
  session: 's',
  socket: null,
  promptFile: 'PROMPT.md',
  promptVia: null,
  maxIterations: 3,
  inactivityTimeout: 7,
  donePattern: 'old',
  readyTimeout: 1,
  secondMs: 10,
};

function read(given: Partial<RalphInputs> = {}): Result {
  const inputs = { prompt: 'Do it.', max_iterations: 3, inactivity_timeout: 5, done_pattern: 'DONE', ...given };
  return { kind: 'inputs', digest: JSON.stringify(inputs), inputs };
}

function loop(...results: readonly Result[]) {
  const created = { id: 'l', loopKind: 'swarm', cwd: '/w', release: '0', options: REQUEST };
  return play(ralphMachine, ralphMachine.begin(firstRecord(created, 0)), ...results);
}

const matched: Result = { ...worked(), endedBy: 'done-pattern' } as Result;

test('an agent is started with its own flags and the prompt, and its screen is watched as the inputs say', () => {
  expect(ralphMachine.next(loop(read()))).toMatchObject({
    do: 'start',
    agent: { command: 'agent', flags: ['--flag'], mode: 'text' },
    prompt: 'Do it.',
  });
  expect(ralphMachine.next(loop(read(), STARTED))).toMatchObject({
    do: 'await',
    screen: { inactivityMs: 50, donePattern: 'DONE' },
  });
  expect(ralphMachine.next(loop(read({ done_pattern: null }), STARTED))).toMatchObject({
    screen: { donePattern: null },
  });
});

test('the loop is done when the pattern was seen, and continues when the agent only exited', () => {
  expect(loop(read(), STARTED, matched).phase).toEqual({ at: 'end', ending: { kind: 'done' } });
  expect(loop(read(), STARTED, worked()).phase).toMatchObject({ at: 'wait', then: 'next-iteration' });
});

test('a failure is followed by a back-off in the loop’s seconds', () => {
  const { phase, at } = loop(read(), STARTED, failed());
  expect(phase).toMatchObject({ at: 'wait', until: at + 10 });
});

test('a limit that was edited while the last iteration ran counts at once', () => {
  const last = [read({ max_iterations: 1 }), STARTED, worked()];
  expect(loop(...last).phase).toEqual({ at: 'inputs' });
  expect(loop(...last, read({ max_iterations: 1 })).phase).toEqual({
    at: 'end',
    ending: { kind: 'iteration-limit', limit: 1 },
  });
  expect(loop(...last, read({ max_iterations: 2 }))).toMatchObject({ iteration: 2, phase: { at: 'start' } });
  expect(loop(read(), STARTED, worked(), WAITED, read())).toMatchObject({ iteration: 2 });
});
