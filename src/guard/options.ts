/** Takes a command's arguments apart: `-rf`, `-r -f`, `--recursive`, `--rec`, `-n 5`, `-n5`, `--count=5`, `--`. */
import type { Arg } from './command.ts';

export interface Options {
  /** `-r` or `--recursive`, also shortened as far as GNU takes it. */
  has(...names: readonly string[]): boolean;
  /** The values of an option that takes one. */
  values(...names: readonly string[]): Arg[];
  readonly operands: readonly Arg[];
}

/** Which options take a value: single letters, and long names. */
export interface Shape {
  readonly letters?: string;
  readonly names?: readonly string[];
  /** `find -name x`: one dash before long names. */
  readonly isSingleDash?: boolean;
  /** Options end where the operands begin, as for `sudo`, `env`, `xargs`. */
  readonly isPrefix?: boolean;
}

type Given = [name: string, value: Arg | null];

const SHORTEST_LONG = 3;

export function readOptions(args: readonly Arg[], shape: Shape = {}): Options {
  const given: Given[] = [];
  const operands: Arg[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at];
    if (arg === undefined) break;
    if (arg.text === '--' || (shape.isPrefix === true && !isOption(arg.text))) {
      operands.push(...args.slice(arg.text === '--' ? at + 1 : at));
      break;
    }
    if (!isOption(arg.text)) operands.push(arg);
    else at += takeOption(arg, args[at + 1] ?? null, shape, given);
  }
  return {
    operands,
    has: (...names) => given.some(([name]) => isOneOf(name, names)),
    values: (...names) => given.flatMap(([name, value]) => (value !== null && isOneOf(name, names) ? [value] : [])),
  };
}

function isOption(text: string): boolean {
  return text.length > 1 && text.startsWith('-');
}

/** How many further arguments it took. */
function takeOption(arg: Arg, next: Arg | null, { letters = '', names = [], isSingleDash }: Shape, given: Given[]) {
  const { text, from } = arg;
  if (text.startsWith('--') || isSingleDash === true) {
    const [, name = '', value] = /^--?([^=]*)(?:=(.*))?$/s.exec(text) ?? [];
    const takes = value === undefined && names.includes(name);
    given.push([name, value === undefined ? (takes ? next : null) : { text: value, from }]);
    return takes ? 1 : 0;
  }
  for (let at = 1; at < text.length; at++) {
    const name = text.charAt(at);
    const rest = text.slice(at + 1);
    const takes = letters.includes(name);
    given.push([name, takes ? (rest === '' ? next : { text: rest, from }) : null]);
    if (takes) return rest === '' ? 1 : 0;
  }
  return 0;
}

function isOneOf(name: string, wanted: readonly string[]): boolean {
  return wanted.some(
    (each) => name === each || (name.length >= SHORTEST_LONG && each.length > 1 && each.startsWith(name)),
  );
}
