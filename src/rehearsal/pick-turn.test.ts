import { expect, test } from 'vitest';
import { pickTurn } from './pick-turn.ts';
import type { Script } from './script.ts';

const script: Script = { turns: [{ match: 'red', say: 'a' }, { say: 'b' }, { match: 'blue', say: 'c' }] };

test('the first turn whose condition holds is taken', () => {
  expect(pickTurn(script, new Set(), 'a red door').answer).toEqual({ kind: 'turn', index: 0 });
});

test('a turn that does not match is passed over and stays', () => {
  expect(pickTurn(script, new Set(), 'a green door').answer).toEqual({ kind: 'turn', index: 1 });
  expect(pickTurn(script, new Set([1]), 'a red door').answer).toEqual({ kind: 'turn', index: 0 });
});

test('a played turn is not taken again', () => {
  expect(pickTurn(script, new Set([0, 1]), 'red and blue').answer).toEqual({ kind: 'turn', index: 2 });
});

test('the last resort is played as often as nothing else fits', () => {
  const otherwise = { say: 'z' };
  expect(pickTurn({ ...script, otherwise }, new Set([1]), 'green')).toEqual({
    turn: otherwise,
    answer: { kind: 'otherwise' },
  });
});

test('without a last resort the model says why it has nothing to say', () => {
  expect(pickTurn(script, new Set([0, 1, 2]), 'red')).toEqual({
    turn: { say: 'The rehearsal script is exhausted: every turn was played.' },
    answer: { kind: 'exhausted', left: 0 },
  });
  expect(pickTurn(script, new Set([1]), 'green')).toEqual({
    turn: { say: 'The rehearsal script is exhausted: none of the 2 left matches this request.' },
    answer: { kind: 'exhausted', left: 2 },
  });
});
