/** A loop that asks a person something and waits: the same iteration is tried again with the answer. */
import { expect, test } from 'vitest';
import { play } from '../../../test/support/loops/play.ts';
import { STARTED, worked } from '../../../test/support/loops/results.ts';
import { begun, INPUTS, rules } from '../../../test/support/loops/tiny-machine.ts';
import { isPaused, questionOf } from '../state.ts';
import { loopMachine } from './machine.ts';

const asker = loopMachine({
  ...rules,
  afterRun: ({ data }) => ({ data, go: { to: 'ask', question: 'Which one?' } }),
});
const asking = play(asker, begun, INPUTS, STARTED, worked());

test('a question waits for a command, under its own key', () => {
  expect(asker.next(asking)).toEqual({ do: 'wait', key: '1/ask/2', until: 'command', consumed: null, isAsking: true });
  expect([isPaused(asking), questionOf(asking)]).toEqual([true, 'Which one?']);
});

test('the answer is in the next prompt of the same iteration', () => {
  const told = [{ as: 'answer', text: 'The first.' }] as const;
  const answered = play(asker, asking, { kind: 'waited', consumed: 'a', told }, INPUTS);
  const action = asker.next(answered);
  expect(action).toMatchObject({ do: 'start', run: { iteration: 1, try: 2 } });
  expect(action.do === 'start' && action.prompt).toContain('The first.');
});

test('the time of the wait is not time worked', () => {
  const answered = play(asker, asking, { kind: 'waited' });
  expect(answered.workedMs).toBe(asking.workedMs);
});

test('a loop that was paused while it asked asks nothing any more', () => {
  const paused = play(asker, asking, { kind: 'waited', command: 'pause' });
  expect([isPaused(paused), questionOf(paused)]).toEqual([true, null]);
});

test('a loop kind that keeps answers gets them, and no other messages', () => {
  const keeper = loopMachine({
    ...rules,
    afterRun: ({ data }) => ({ data, go: { to: 'ask', question: 'Which one?' } }),
    consumeAnswer: (data, answer) => [...data, answer],
  });
  const told = [
    { as: 'tell', text: 'Be quick.' },
    { as: 'answer', text: 'The first.' },
  ] as const;
  const asked = play(keeper, begun, INPUTS, STARTED, worked());
  const answered = play(keeper, asked, { kind: 'waited', consumed: 'a', told });
  expect(answered.data).toEqual([...asked.data, 'The first.']);
  expect(answered.told).toEqual([{ as: 'tell', text: 'Be quick.' }]);
});
