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

interface Given {
  readonly name: string;
  readonly value: Arg | null;
}

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
    has: (...names) => given.some(({ name }) => names.some((wanted) => isSame(name, wanted))),
    values: (...names) =>
      given.flatMap(({ name, value }) =>
        value !== null && names.some((wanted) => isSame(name, wanted)) ? [value] : [],
      ),
  };
}

function isOption(text: string): boolean {
  return text.length > 1 && text.startsWith('-');
}

/** How many further arguments it took. */
function takeOption(arg: Arg, next: Arg | null, shape: Shape, given: Given[]): number {
  const isLong = arg.text.startsWith('--') || shape.isSingleDash === true;
  if (isLong) {
    const [, name = '', value] = /^--?([^=]*)(?:=(.*))?$/s.exec(arg.text) ?? [];
    const takes = value === undefined && (shape.names ?? []).includes(name);
    given.push({ name, value: value === undefined ? (takes ? next : null) : { text: value, from: arg.from } });
    return takes ? 1 : 0;
  }
  for (let at = 1; at < arg.text.length; at++) {
    const name = arg.text.charAt(at);
    if (!(shape.letters ?? '').includes(name)) {
      given.push({ name, value: null });
      continue;
    }
    const rest = arg.text.slice(at + 1);
    given.push({ name, value: rest === '' ? next : { text: rest, from: arg.from } });
    return rest === '' ? 1 : 0;
  }
  return 0;
}

function isSame(name: string, wanted: string): boolean {
  return name === wanted || (name.length >= SHORTEST_LONG && wanted.length > 1 && wanted.startsWith(name));
}
