/**
 * Parses what was typed after `/ralph-loop`, without a shell in between. The task is kept as typed. Text that looks
 * like a flag but is none is refused: a loop that takes `--max-iterations=3` for a part of its task never ends.
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
  // A task never begins with a short flag.
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

/** Only flags can follow a quoted task. */
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

/** Flags with a text value: if its quotes are missing, the rest of its words follow as if they were the task. */
const TEXT_FLAGS: readonly FlagName[] = ['check', 'completion-promise'];
/** English has words that begin with an apostrophe. */
const ELISION = /^'(?:tis|twas|twere|twill|til|em|cause|bout|round|n|\d\ds?)\b/i;

/** A task without quotes: all words that belong to no flag, with the whitespace between them. */
function bareTask(text: string, before: readonly FlagValue[]): ReturnType<typeof partsOf> {
  // Any other quote of the same kind may close it, also before a dot or a comma.
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
    // This happens if the quotes around a value of several words are missing or end too early.
    const hint = '(put the value in quotes, and a task that follows, too)';
    if (last !== undefined && TEXT_FLAGS.includes(last.name))
      wrong(`text after the value of --${last.name}: ${shown(words, 60)} ${hint}`);
    last = undefined;
    // Quoted words count as one word here: anything like a flag inside the quotes is text.
    const behind = (isQuote(words[0]) ? inQuotes(words, words[0])?.rest : undefined) ?? words;
    const next = behind.replace(/^\S+/, '');
    task += rest.slice(0, rest.length - next.length);
    rest = next;
  }
  return { flags, task: task.trim() };
}

/** Editors turn straight quotes into curly ones, sometimes both into the same kind. */
const CLOSERS: Readonly<Record<string, string>> = { '"': '"', "'": "'", '“': '”', '”': '”', '‘': '’', '’': '’' };
const LONGEST_NAME = 60;
/** `-m 3`, `-m=3`. Without a number it may be a word of the task: "make pytest -x pass". */
const SHORT = /^(-[A-Za-z])(?:=|\s+\d+(?:\s|$))/;

/** The flag at the start of `text`, with its value: `--x 3`, `--x=3`, `--x "a b"`, `--x="a b"`. Null for none. */
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
    // A quote was written as \" so that it does not end the value.
    const value = closer === '"' ? quoted.inside.replaceAll('\\"', '"') : quoted.inside;
    return { name, value, rest: quoted.rest };
  }
  const value = /^\S*/.exec(given)?.[0] ?? '';
  // `--x --y`: the value was forgotten. `--x=` is empty on purpose; the flag itself decides whether to refuse that.
  if (!isJoined && (value === '' || /^--[A-Za-z]/.test(value))) wrong(`--${name} needs a value`);
  return { name, value, rest: given.slice(value.length) };
}

/** Refuses a flag with the wrong number of hyphens, or the long dash that some editors make of two; also `-m 3`. */
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

/** Suggests a flag that the typed name begins with, or that begins with the same three letters. */
function didYouMean(name: string): string {
  const typed = name.toLowerCase();
  const near = Object.keys(FLAGS).find((flag) => typed.startsWith(flag) || flag.startsWith(typed.slice(0, 3)));
  return near === undefined ? '' : `; is --${near} meant?`;
}

function isFlag(name: string): name is FlagName {
  return Object.hasOwn(FLAGS, name);
}

type Quoted = Readonly<Record<'inside' | 'rest', string>>;

/** The text up to the first closing quote at the end of a word; null if there is none. */
function inQuotes(text: string, quote: string): Quoted | null {
  for (let at = text.indexOf(quote, 1); at >= 0; at = text.indexOf(quote, at + 1)) {
    const rest = text.slice(at + 1);
    // If no other quote follows, the backslash cannot escape this one: it belongs to a path.
    const isEnd = text[at - 1] !== '\\' || !rest.includes(quote);
    if (isEnd && endsWord(rest)) return { inside: text.slice(1, at), rest };
  }
  return null;
}

/**
 * The task between a quote at its start and one before the flags or the end of the line; null if there is none. It ends
 * at the first quote that is followed by valid flags only, because no flag must ever become a part of the task. If what
 * follows looks like flags but is not valid, quotes are matched as a reader would: at the start of a word they open, at
 * its end they close. After the outermost quote, such text is reported as a mistake; after an inner one, it is part of
 * the task. If a quote opens after all were closed, as in "Fix" and "Test", the quotes belong to single words, not to
 * the task.
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
      // A closing quote while none is open can end the task itself after all.
      isReopened &&= depth > 0;
      depth = Math.max(depth - 1, 0);
      // The end of the line, or a flag, follows.
      const mayEnd = /^\s*(?:--[A-Za-z]|$)/.test(rest);
      if (isReopened && depth === 0 && mayEnd) return null;
      // After the outermost quote, text that only looks like a flag is reported, not taken as part of the task.
      if (depth === 0 && (mayEnd || /^\s+[-\u2010-\u2015\u2212]+[A-Za-z]/.test(rest))) return quoted;
      if (!mayEnd) continue;
      first ??= quoted;
      if (areOnlyFlags(rest)) return quoted;
    } else if (isEscaped && endsWord(rest) && areOnlyFlags(rest) && rest.split(quote).length % 2 === 1) {
      // The task ends with a backslash: the quotes that follow can all belong to values of flags.
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
