/**
 * Reads what was typed after `/ralph-loop`; no shell has seen it. The task comes out as it was typed. What looks like a flag
 * and is none is refused: a loop that takes `--max-iterations=3` for a part of its task never ends.
 */
import { RalphError } from '../../core/error.ts';
import { FLAGS, type FlagName, type FlagValue, requestFrom, type SessionRequest, shown, wrong } from './request.ts';

export type CommandLine =
  | { readonly kind: 'begin'; readonly request: SessionRequest }
  | { readonly kind: 'resume' | 'help' }
  | { readonly kind: 'wrong'; readonly why: string };

export function readCommandLine(typed: string, { ultrawork }: { readonly ultrawork: boolean }): CommandLine {
  if (typed.trim() === '-h') return { kind: 'help' };
  try {
    const { flags, task } = partsOf(typed);
    const names = flags.map(({ name }) => name);
    if (names.includes('help')) return { kind: 'help' };
    if (!names.includes('resume')) return { kind: 'begin', request: requestFrom(flags, task, ultrawork) };
    if (flags.length === 1 && task === '') return { kind: 'resume' };
    return { kind: 'wrong', why: '--resume continues the loop as it is: it takes no task and no other flag' };
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    return { kind: 'wrong', why: error.message };
  }
}

function partsOf(typed: string): { readonly flags: readonly FlagValue[]; readonly task: string } {
  const { flags, rest } = leadingFlags(typed);
  if (/^--(?=\s|$)/.test(rest)) return { flags, task: rest.slice(2).trim() };
  // No task begins with one.
  const short = /^-[A-Za-z](?=\s|$)/.exec(rest)?.[0];
  if (short !== undefined) noShortFlag(short);
  const quoted = quotedTask(rest);
  if (quoted === null) return bareTask(rest, flags);
  return { flags: [...flags, ...onlyFlags(quoted.rest)], task: quoted.inside };
}

function leadingFlags(text: string): { readonly flags: readonly FlagValue[]; readonly rest: string } {
  const flags: FlagValue[] = [];
  let rest = text.trimStart();
  for (let flag = flagAt(rest); flag !== null; flag = flagAt(rest)) {
    flags.push(flag);
    rest = flag.rest.trimStart();
  }
  return { flags, rest };
}

/** Behind a quoted task there are flags and nothing else. */
function onlyFlags(text: string): readonly FlagValue[] {
  const { flags, rest } = leadingFlags(text);
  return rest === '' ? flags : wrong(`text after the quoted task: ${shown(rest, 60)}`);
}

function areOnlyFlags(text: string): boolean {
  try {
    onlyFlags(text);
    return true;
  } catch {
    return false;
  }
}

/** Flags whose value is text, of which more words may follow by mistake. */
const TEXT_FLAGS: readonly FlagName[] = ['check', 'completion-promise'];
/** English has words that begin with an apostrophe. */
const ELISION = /^'(?:tis|twas|twere|twill|til|em|cause|bout|round|n|\d\ds?)\b/i;

/** A task without quotes around it: all words that belong to no flag, with the space between them. */
function bareTask(text: string, before: readonly FlagValue[]): ReturnType<typeof partsOf> {
  // Another quote of its kind may end a word that a dot or a comma follows.
  if (isQuote(text[0]) && text.lastIndexOf(text[0]) === 0 && !ELISION.test(text))
    wrong('the quote before the task is not closed');
  const flags = [...before];
  let [task, rest, last] = ['', text, before.at(-1)];
  while (rest.trim() !== '') {
    const words = rest.trimStart();
    const flag = flagAt(words);
    if (flag !== null) {
      flags.push(flag);
      [rest, last] = [flag.rest, flag];
      continue;
    }
    // A value of several words looks so when its quotes are missing, or end too early.
    const hint = '(put the value in quotes, and a task that follows, too)';
    if (last !== undefined && TEXT_FLAGS.includes(last.name))
      wrong(`text after the value of --${last.name}: ${shown(words, 60)} ${hint}`);
    last = undefined;
    // Words in quotes are one word here: what looks like a flag inside of them is text.
    const behind = (isQuote(words[0]) ? inQuotes(words, words[0])?.rest : undefined) ?? words;
    const next = behind.replace(/^\S+/, '');
    task += rest.slice(0, rest.length - next.length);
    rest = next;
  }
  return { flags, task: task.trim() };
}

/** Editors make curly quotes of straight ones, now and then both of the same kind. */
const CLOSERS: Readonly<Record<string, string>> = { '"': '"', "'": "'", '“': '”', '”': '”', '‘': '’', '’': '’' };
const LONGEST_NAME = 60;
/** `-m 3`, `-m=3`. Without a number it may well be a word of a task: "make pytest -x pass". */
const SHORT = /^(-[A-Za-z])(?:=|\s+\d+(?:\s|$))/;

/** One flag with its value: `--x 3`, `--x=3`, `--x "a b"`, `--x="a b"`. Null when none stands there. */
function flagAt(text: string): (FlagValue & { readonly rest: string }) | null {
  const opening = text.slice(0, LONGEST_NAME);
  const [word = '', name = ''] = /^--([A-Za-z][^\s=]*)/.exec(opening) ?? [];
  if (word === '') return refuseMisspelt(opening);
  if (!isFlag(name)) return wrong(`there is no flag --${name}${didYouMean(name)}`);
  const rest = text.slice(word.length);
  const isJoined = rest.startsWith('=');
  if (FLAGS[name] === null) return isJoined ? wrong(`--${name} takes no value`) : { name, value: '', rest };
  const given = isJoined ? rest.slice(1) : rest.trimStart();
  const closer = CLOSERS[given.charAt(0)];
  if (closer !== undefined) {
    const quoted = inQuotes(given, closer) ?? wrong(`--${name} needs a value`);
    // A quote that was written \" so that it does not end the value.
    const value = closer === '"' ? quoted.inside.replaceAll('\\"', '"') : quoted.inside;
    return { name, value, rest: quoted.rest };
  }
  const value = /^\S*/.exec(given)?.[0] ?? '';
  // `--x --y`: the value was forgotten. `--x=` is empty on purpose, and for the flag itself to refuse.
  if (!isJoined && (value === '' || /^--[A-Za-z]/.test(value))) wrong(`--${name} needs a value`);
  return { name, value, rest: given.slice(value.length) };
}

/** Another number of dashes, or the long ones that some editors make of two, before the name of a flag. */
function refuseMisspelt(opening: string): null {
  const [, word = '', name = ''] = /^([-\u2010-\u2015\u2212]+([A-Za-z-]*[A-Za-z]))(?=[\s=]|$)/.exec(opening) ?? [];
  const flag = name.toLowerCase();
  if (isFlag(flag)) wrong(`${word} is not a flag; it is written --${flag}, with two hyphens`);
  const short = SHORT.exec(opening)?.[1];
  return short === undefined ? null : noShortFlag(short);
}

function noShortFlag(word: string): never {
  const meant = word === '-m' ? '; meant is --max-iterations' : '';
  return wrong(`there is no flag ${word}${meant} (if it belongs to the task, put -- before the task)`);
}

/** A letter too many or too few, or an end that was left out. */
function didYouMean(name: string): string {
  const typed = name.toLowerCase();
  const near = Object.keys(FLAGS).find((flag) => typed.startsWith(flag) || flag.startsWith(typed.slice(0, 3)));
  return near === undefined ? '' : `; is --${near} meant?`;
}

function isFlag(name: string): name is FlagName {
  return Object.hasOwn(FLAGS, name);
}

type Quoted = Readonly<Record<'inside' | 'rest', string>>;

/** Up to the first such quote that a word ends with; null when there is none. */
function inQuotes(text: string, quote: string): Quoted | null {
  for (let at = text.indexOf(quote, 1); at >= 0; at = text.indexOf(quote, at + 1)) {
    const rest = text.slice(at + 1);
    // The last one of its kind, behind a backslash: of a path, since there is nothing that it could be escaped in.
    const isEnd = text[at - 1] !== '\\' || !rest.includes(quote);
    if (isEnd && endsWord(rest)) return { inside: text.slice(1, at), rest };
  }
  return null;
}

/**
 * The task that begins with a quote and ends with one before the flags or the end of the line; null when there is none.
 * The first quote that only good flags follow is the end: no flag may ever become a part of the task. Where what follows
 * looks like flags but is not in order, inner quotes are told apart as a reader does: one at a word's beginning opens, one
 * at its end closes; behind the outermost it is a mistake to be told, behind an inner one it is text. Where another quote is
 * opened when all were closed, as in "Fix" and "Test", the quotes are words' own, and none is around the task.
 */
function quotedTask(text: string): Quoted | null {
  const quote = text[0];
  if (!isQuote(quote)) return null;
  let [depth, isReopened] = [1, false];
  let first: Quoted | null = null;
  for (let at = text.indexOf(quote, 1); at >= 0; at = text.indexOf(quote, at + 1)) {
    const rest = text.slice(at + 1);
    const quoted = { inside: text.slice(1, at), rest };
    const isEscaped = text[at - 1] === '\\';
    if (endsWord(rest) && !isEscaped) {
      // One that closes nothing else is the task's own end after all.
      isReopened &&= depth > 0;
      depth = Math.max(depth - 1, 0);
      // Nothing more, or a flag.
      const mayEnd = /^\s*(?:--[A-Za-z]|$)/.test(rest);
      if (isReopened && depth === 0 && mayEnd) return null;
      // Behind the outermost quote also what only looks like a flag: it is told, and not taken for text.
      if (depth === 0 && (mayEnd || /^\s+[-\u2010-\u2015\u2212]+[A-Za-z]/.test(rest))) return quoted;
      if (!mayEnd) continue;
      first ??= quoted;
      if (areOnlyFlags(rest)) return quoted;
    } else if (isEscaped && endsWord(rest) && areOnlyFlags(rest) && rest.split(quote).length % 2 === 1) {
      // A task that ends with a backslash: the quotes that follow can all belong to flags' values.
      return quoted;
    } else if (at === 1 || /\s/.test(text[at - 1] ?? '')) {
      isReopened ||= depth === 0;
      depth++;
    }
  }
  return first;
}

function isQuote(char: string | undefined): char is '"' | "'" {
  return char === '"' || char === "'";
}

function endsWord(rest: string): boolean {
  return /^(?:\s|$)/.test(rest);
}
