/** Decides which turn of a script answers a request. */

import type { Generate } from '../api-emulators/api-emulator.ts';
import type { Script, Turn } from './script.ts';

export interface PickedTurn {
  readonly turn: Turn;
  readonly answer: ScriptAnswer;
}

export type ScriptAnswer =
  | { readonly kind: 'turn'; readonly index: number }
  | { readonly kind: 'otherwise' }
  /** No turn fitted, and the agent was told so. `left` turns wait for a match; 0 when all were played. */
  | { readonly kind: 'exhausted'; readonly left: number };

/** How often each turn was played, by index. */
export type Played = ReadonlyMap<number, number>;

export type Asked = Pick<Generate, 'lastUserText' | 'text' | 'model'>;

/** The first turn that is not yet played out and whose condition holds. */
export function pickTurn(script: Script, played: Played, asked: Asked): PickedTurn {
  for (const [index, turn] of script.turns.entries()) {
    if (playsLeft(turn, played.get(index)) === 0) continue;
    if (matches(turn.match, asked)) return { turn, answer: { kind: 'turn', index } };
  }
  if (script.otherwise) return { turn: script.otherwise, answer: { kind: 'otherwise' } };
  const left = script.turns.filter((turn, index) => playsLeft(turn, played.get(index)) > 0).length;
  const why = left === 0 ? 'every turn was played' : `none of the ${left} left matches this request`;
  // A text without a tool call makes the agent stop instead of asking for ever.
  return { turn: { say: `The rehearsal script is exhausted: ${why}.` }, answer: { kind: 'exhausted', left } };
}

function playsLeft({ times = 1 }: Turn, played = 0): number {
  return Math.max(0, times - played);
}

function matches(match: Turn['match'], { lastUserText, text, model }: Asked): boolean {
  if (match === undefined) return true;
  if (typeof match === 'string') return lastUserText.includes(match);
  return (
    lastUserText.includes(match.lastUser ?? '') &&
    text.includes(match.anywhere ?? '') &&
    model.includes(match.model ?? '')
  );
}
