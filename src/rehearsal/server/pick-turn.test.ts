import { expect, test } from 'vitest';
import type { Script, Turn } from '../script/script.ts';
import { type Asked, type Played, pickTurn, type ScriptAnswer } from './plan.ts';

const script: Script = { turns: [{ match: 'red', say: 'a' }, { say: 'b' }, { match: 'blue', say: 'c' }] };

function asked(lastUserText: string, more: Partial<Asked> = {}): Asked {
  return { lastUserText, text: `Instructions.\n${lastUserText}`, model: 'opus-5', ...more };
}

function played(...indexes: number[]): Played {
  return new Map(indexes.map((index) => [index, 1]));
}

test('the first turn whose condition holds is taken', () => {
  expect(pickTurn(script, played(), asked('a red door')).answer).toEqual({ kind: 'turn', index: 0 });
});

test('a turn that does not match is passed over and stays', () => {
  expect(pickTurn(script, played(), asked('a green door')).answer).toEqual({ kind: 'turn', index: 1 });
  expect(pickTurn(script, played(1), asked('a red door')).answer).toEqual({ kind: 'turn', index: 0 });
});

test('a played turn is not taken again', () => {
  expect(pickTurn(script, played(0, 1), asked('red and blue')).answer).toEqual({ kind: 'turn', index: 2 });
});

test('a turn with a count is taken that often', () => {
  const thrice: Script = { turns: [{ say: 'a', times: 3 }, { say: 'b' }] };
  const takenAfter = (plays: number): ScriptAnswer => pickTurn(thrice, new Map([[0, plays]]), asked('')).answer;
  expect(takenAfter(2)).toEqual({ kind: 'turn', index: 0 });
  expect(takenAfter(3)).toEqual({ kind: 'turn', index: 1 });
});

test.each<[match: Turn['match'], holds: boolean]>([
  [{ lastUser: 'door' }, true],
  [{ lastUser: 'Instructions' }, false],
  [{ anywhere: 'Instructions' }, true],
  [{ anywhere: 'window' }, false],
  [{ model: 'opus' }, true],
  [{ model: 'haiku' }, false],
  [{ lastUser: 'door', anywhere: 'Instructions', model: 'opus' }, true],
  [{ lastUser: 'door', anywhere: 'Instructions', model: 'haiku' }, false],
])('the condition %j holds: %s', (match, holds) => {
  const { kind } = pickTurn({ turns: [{ match, say: 'a' } as Turn] }, played(), asked('a door')).answer;
  expect(kind).toBe(holds ? 'turn' : 'exhausted');
});

test('what a pattern finds in the request stands in the answer', () => {
  const match = { pattern: '^Answer in <(\\w+)>' };
  const turns: Turn[] = [{ match, say: '<$1>yes</$1> $2' }];
  const taken = (text: string) => pickTurn({ turns }, played(), asked(text));
  expect(taken('Do it.\nAnswer in <tag7>.').turn.say).toBe('<tag7>yes</tag7> $2');
  expect(taken('Answer in words.').answer.kind).toBe('exhausted');
});

test('"otherwise" is played whenever no turn matches', () => {
  const otherwise = { say: 'z' };
  expect(pickTurn({ ...script, otherwise }, played(1), asked('green'))).toEqual({
    turn: otherwise,
    answer: { kind: 'otherwise' },
  });
});

test('without a last resort the model says why it has nothing to say', () => {
  expect(pickTurn(script, played(0, 1, 2), asked('red'))).toEqual({
    turn: { say: 'The rehearsal script is exhausted: every turn was played.' },
    answer: { kind: 'exhausted', left: 0 },
  });
  expect(pickTurn(script, played(1), asked('green'))).toEqual({
    turn: { say: 'The rehearsal script is exhausted: none of the 2 left matches this request.' },
    answer: { kind: 'exhausted', left: 2 },
  });
});
