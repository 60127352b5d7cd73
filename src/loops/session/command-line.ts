/**
 * Reads what was typed after `/ralph-loop`. No shell has seen it and none will: quotes are for us alone. The task comes
 * out as it was typed, character by character; whatever looks like a flag and is none is refused, because a loop that
 * takes `--max-iterations=3` for a part of its task never ends.
 */
import { flagAt, type GivenFlag, noShortFlag } from './flag-words.ts';
import { type FlagName, requestFrom } from './flags.ts';
import { closingQuote, quotedTask } from './quotes.ts';
import type { SessionRequest } from './request.ts';

export type CommandLine =
  | { readonly kind: 'begin'; readonly request: SessionRequest }
  | { readonly kind: 'resume' }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly why: string };

export function readCommandLine(typed: string, { ultrawork }: { readonly ultrawork: boolean }): CommandLine {
  if (typed.trim() === '-h') return { kind: 'help' };
  const parts = partsOf(typed);
  if ('wrong' in parts) return { kind: 'wrong', why: parts.wrong };
  const { flags, task } = parts;
  const names = flags.map(({ name }) => name);
  if (names.includes('help')) return { kind: 'help' };
  if (names.includes('resume')) {
    if (flags.length === 1 && task === '') return { kind: 'resume' };
    return { kind: 'wrong', why: '--resume goes on with the loop as it is: it takes no task and no other flag' };
  }
  const request = requestFrom(flags, task, ultrawork);
  return 'wrong' in request ? { kind: 'wrong', why: request.wrong } : { kind: 'begin', request };
}

/** Flags whose value is text, of which more words may follow by mistake. */
const TEXT_FLAGS: readonly FlagName[] = ['check', 'completion-promise'];

type Wrong = { readonly wrong: string };
type Parts = { readonly flags: readonly GivenFlag[]; readonly task: string } | Wrong;

function partsOf(typed: string): Parts {
  const before = flagsAt(typed, 0);
  if ('wrong' in before) return before;
  const { flags, end: at } = before;
  if (isWord(typed, at, '--')) return { flags, task: typed.slice(at + 2).trim() };
  // No task begins with one.
  const short = /^-[A-Za-z](?=\s|$)/.exec(typed.slice(at, at + 3))?.[0];
  if (short !== undefined) return noShortFlag(short);
  const quoted = quotedTask(typed, at, (from) => !('wrong' in onlyFlags(typed, from)));
  if (quoted === null) return bareTask(typed, at, flags);
  const behind = onlyFlags(typed, quoted.end);
  return 'wrong' in behind ? behind : { flags: [...flags, ...behind.flags], task: quoted.task };
}

/** As many as stand there, one behind the other. */
function flagsAt(typed: string, from: number): { readonly flags: readonly GivenFlag[]; readonly end: number } | Wrong {
  const flags: GivenFlag[] = [];
  let end = skipSpace(typed, from);
  for (let flag = flagAt(typed, end); flag !== null; flag = flagAt(typed, end)) {
    if ('wrong' in flag) return flag;
    flags.push(flag);
    end = skipSpace(typed, flag.end);
  }
  return { flags, end };
}

/** Behind a quoted task there are flags and nothing else. */
function onlyFlags(typed: string, from: number): ReturnType<typeof flagsAt> {
  const found = flagsAt(typed, from);
  if ('wrong' in found || found.end === typed.length) return found;
  return { wrong: `text behind the quoted task: ${firstWords(typed.slice(found.end))}` };
}

/** A task without quotes around it: all words that belong to no flag, with the space between them. */
function bareTask(typed: string, from: number, before: readonly GivenFlag[]): Parts {
  if (isOpen(typed, from)) return { wrong: 'the quote before the task is not closed' };
  const flags = [...before];
  let task = '';
  let at = from;
  let last = before.at(-1);
  while (skipSpace(typed, at) < typed.length) {
    const space = skipSpace(typed, at);
    const flag = flagAt(typed, space);
    if (flag !== null) {
      if ('wrong' in flag) return flag;
      flags.push(flag);
      at = flag.end;
      last = flag;
      continue;
    }
    // A value of several words looks so when its quotes are missing, or end too early.
    if (last !== undefined && TEXT_FLAGS.includes(last.name)) {
      return {
        wrong: `text behind the value of --${last.name}: ${firstWords(typed.slice(space))} (put the value in quotes, and a task that follows, too)`,
      };
    }
    last = undefined;
    const end = wordEnd(typed, space);
    task += typed.slice(at, end);
    at = end;
  }
  return { flags, task: task.trim() };
}

/** English has words that begin with an apostrophe. */
const ELISION = /^'(?:tis|twas|twere|twill|til|em|cause|bout|round|n|\d\ds?)\b/i;

function isOpen(typed: string, at: number): boolean {
  const quote = typed[at];
  if (quote !== '"' && quote !== "'") return false;
  // Another one of its kind may end a word that a dot or a comma follows.
  return !typed.includes(quote, at + 1) && !ELISION.test(typed.slice(at, at + 10));
}

/** Words in quotes are one word here: what looks like a flag inside of them is text. */
function wordEnd(typed: string, at: number): number {
  const closing = typed[at] === '"' || typed[at] === "'" ? closingQuote(typed, at) : null;
  const from = closing === null ? at : closing + 1;
  const space = typed.slice(from).search(/\s/);
  return space < 0 ? typed.length : from + space;
}

function skipSpace(text: string, from: number): number {
  const word = text.slice(from).search(/\S/);
  return word < 0 ? text.length : from + word;
}

function isWord(text: string, at: number, word: string): boolean {
  return text.startsWith(word, at) && (at + word.length === text.length || /\s/.test(text[at + word.length] ?? ''));
}

function firstWords(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
