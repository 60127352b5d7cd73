/** Decides which turn of a script answers a request. */
import type { Script, Turn } from './script.ts';

export interface Pick {
  readonly turn: Turn;
  readonly answer: ScriptAnswer;
}

export type ScriptAnswer =
  | { readonly kind: 'turn'; readonly index: number }
  | { readonly kind: 'otherwise' }
  /** No turn fitted, and the agent was told so. `left` turns wait for a match; 0 when all were played. */
  | { readonly kind: 'exhausted'; readonly left: number };

/** The first turn that is not yet played and whose condition holds. */
export function pickTurn(script: Script, played: ReadonlySet<number>, lastUserText: string): Pick {
  for (const [index, turn] of script.turns.entries()) {
    if (played.has(index)) continue;
    if (turn.match === undefined || lastUserText.includes(turn.match)) return { turn, answer: { kind: 'turn', index } };
  }
  if (script.otherwise) return { turn: script.otherwise, answer: { kind: 'otherwise' } };
  const left = script.turns.length - played.size;
  const why = left === 0 ? 'every turn was played' : `none of the ${left} left matches this request`;
  // A text without a tool call makes the agent stop instead of asking for ever.
  return { turn: { say: `The rehearsal script is exhausted: ${why}.` }, answer: { kind: 'exhausted', left } };
}
