/** One flag with its value, as it stands in a command line: `--x 3`, `--x=3`, `--x "a b"`, `--x="a b"`. */
import { FLAGS, type FlagName, type FlagValue } from './flags.ts';
import { closingQuote } from './quotes.ts';

/** Editors make curly quotes of straight ones, now and then both of the same kind. */
const CLOSERS: Readonly<Record<string, string>> = { '"': '"', "'": "'", '“': '”', '”': '”', '‘': '’', '’': '’' };

const LONGEST_NAME = 60;

/** `-m 3`, `-m=3`. Without a number it may well be a word of a task: "make pytest -x pass". */
const SHORT = /^(-[A-Za-z])(?:=|\s+\d+(?:\s|$))/;

export interface GivenFlag extends FlagValue {
  /** Where it ends. */
  readonly end: number;
}

/** Null when no flag stands there. */
export function flagAt(text: string, at: number): GivenFlag | { readonly wrong: string } | null {
  const opening = text.slice(at, at + LONGEST_NAME);
  const word = /^--([A-Za-z][^\s=]*)/.exec(opening);
  if (word === null) return misspelt(opening);
  const name = word[1] ?? '';
  const end = at + word[0].length;
  if (!isFlag(name)) return { wrong: `there is no flag --${name}${didYouMean(name)}` };
  if (FLAGS[name] === null) {
    return text[end] === '=' ? { wrong: `--${name} takes no value` } : { name, value: '', end };
  }
  const isJoined = text[end] === '=';
  const from = isJoined ? end + 1 : end + (/^\s*/.exec(text.slice(end))?.[0].length ?? 0);
  const value = valueAt(text, from, isJoined);
  return value === null ? { wrong: `--${name} needs a value` } : { name, ...value };
}

/** Another number of dashes, or the long ones that some editors make of two, before the name of a flag. */
function misspelt(opening: string): { readonly wrong: string } | null {
  const [, word = '', name = ''] = /^([-\u2010-\u2015\u2212]+([A-Za-z-]*[A-Za-z]))(?=[\s=]|$)/.exec(opening) ?? [];
  const flag = name.toLowerCase();
  if (isFlag(flag)) return { wrong: `${word} is no flag; it is written --${flag}, with two hyphens` };
  const short = SHORT.exec(opening)?.[1];
  return short === undefined ? null : noShortFlag(short);
}

export function noShortFlag(word: string): { readonly wrong: string } {
  const meant = word === '-m' ? '; meant is --max-iterations' : '';
  return { wrong: `there is no flag ${word}${meant} (if it belongs to the task, put -- before the task)` };
}

/** A letter too many or too few, or an end that was left out. */
function didYouMean(name: string): string {
  const typed = name.toLowerCase();
  const near = Object.keys(FLAGS).find(
    (flag) => flag === typed || flag.startsWith(typed) || typed.startsWith(flag) || flag.startsWith(typed.slice(0, 3)),
  );
  return near === undefined ? '' : `; is --${near} meant?`;
}

function valueAt(text: string, at: number, isJoined: boolean): { value: string; end: number } | null {
  const quote = text[at];
  const closer = quote === undefined ? undefined : CLOSERS[quote];
  if (closer !== undefined) {
    const closing = closingQuote(text, at, closer);
    if (closing === null) return null;
    const inside = text.slice(at + 1, closing);
    // A quote that was written \" so that it does not end the value.
    return { value: quote === '"' ? inside.replaceAll('\\"', '"') : inside, end: closing + 1 };
  }
  const value = /^\S*/.exec(text.slice(at))?.[0] ?? '';
  // `--x --y`: the value was forgotten. `--x=` is empty on purpose, and for the flag itself to refuse.
  if (!isJoined && (value === '' || /^--[A-Za-z]/.test(value))) return null;
  return { value, end: at + value.length };
}

function isFlag(name: string): name is FlagName {
  return Object.hasOwn(FLAGS, name);
}
