/** A turn in the terms of the request that it answers: its text in pieces, its actions as calls of offered tools. */
import type { Turn, Usage } from './script.ts';
import { type Call, commandOf, shellCall } from './shell.ts';

export interface Said {
  readonly think: string;
  /** In pieces, as a model streams; made anew each time they are gone through, so that they need not be held. */
  readonly text: Iterable<string>;
  readonly tools: readonly Call[];
  readonly usage: Required<Usage>;
}

/** What a turn that names no usage costs; not zero, so that a report shows that usage arrives. */
const DEFAULT_USAGE: Usage = { inputTokens: 100, outputTokens: 20 };

/** Small enough that a tag in the text falls apart, as it does with a real model. */
const PIECE = /.{1,20}/gsu;

export function say(turn: Turn, offered: readonly string[]): Said {
  const named = turn.tools ?? (turn.tool ? [turn.tool] : []);
  const command = commandOf(turn);
  const shell = command === undefined ? undefined : shellCall(command, offered);
  const excuse = command !== undefined && !shell ? noShell(offered) : '';
  const words = [turn.say ?? '', excuse].filter(Boolean).join('\n');
  return {
    think: turn.think ?? '',
    text: textOf(words, turn),
    tools: shell ? [...named, shell] : named,
    usage: { cacheReadTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0, ...(turn.usage ?? DEFAULT_USAGE) },
  };
}

export function saysAnything({ text }: Said): boolean {
  for (const piece of text) return piece !== '';
  return false;
}

function textOf(words: string, { fault }: Turn): Iterable<string> {
  const pieces = words.match(PIECE) ?? [];
  if (!fault || !('bigReplyBytes' in fault)) return pieces;
  const { bigReplyBytes } = fault;
  return {
    *[Symbol.iterator]() {
      yield* filler(bigReplyBytes);
      yield* pieces;
    },
  };
}

const LINES_IN_PIECE = 500;

/** Short lines with a number each: Gemini stops a model that repeats fifty characters a few times. */
function* filler(bytes: number): Generator<string> {
  let lines = 0;
  for (let left = bytes; left > 0; ) {
    const piece = Array.from({ length: LINES_IN_PIECE }, () => `Line ${++lines} of a big reply.\n`).join('');
    yield piece.slice(0, left);
    left -= piece.length;
  }
}

function noShell(offered: readonly string[]): string {
  const names = offered.length > 0 ? offered.join(', ') : 'none at all';
  return `The rehearsal wanted to run a command, but knows none of the offered tools as a shell: ${names}.`;
}
