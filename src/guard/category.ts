/** A category of danger: a function that looks at one command and may return a concern. */
import { type Command, type Flow, hasWord, table } from './command.ts';
import type { Folders } from './paths.ts';

export interface Context extends Folders {
  readonly protectedFolders: readonly string[];
  /** Whether the work tree at this folder has uncommitted changes. Called only when it matters. */
  readonly isDirty: (folder: string) => boolean;
  /** The addresses of the remotes of the repository at this folder. Called only when it matters. */
  readonly remotes: (folder: string) => readonly string[];
  readonly exists: (path: string) => boolean;
}

/** What is known without asking git. */
export type ContextWithoutGit = Omit<Context, 'isDirty' | 'remotes'>;

/** The same for one command of a text, with what the commands before it have done. */
export interface Seen extends Context {
  /** What an earlier command wrote to this file; null if none did. */
  readonly written: (path: string, cwd: string | null) => Flow | null;
  readonly before: (command: Command) => readonly Command[];
}

export interface Concern {
  readonly tier: 'block' | 'warn';
  /** Completes a sentence that begins with "it …". */
  readonly why: string;
  readonly instead?: string | undefined;
}

export interface Category {
  readonly number: number;
  readonly name: string;
  /** What to do instead, if the concern does not say. */
  readonly instead: string;
  /** Whether it also applies inside a container: the files there are not ours, but the data may be. */
  readonly holdsInContainers?: true;
  readonly look: Look;
}

export type Look = (command: Command, context: Seen) => Concern | null;

/** Looks up a rule by the program's name; `others` handles programs without one. */
export function byProgram(rules: Readonly<Record<string, Look | Concern>>, others?: Look): Look {
  const all = table(rules);
  return (command, context) => {
    const rule = all.get(command.name) ?? others ?? null;
    return typeof rule === 'function' ? rule(command, context) : rule;
  };
}

export function when(word: RegExp, concern: Concern): Look {
  return ({ words }) => (hasWord(words, word) ? concern : null);
}

export function unless(word: RegExp, concern: Concern): Look {
  return ({ words }) => (hasWord(words, word) ? null : concern);
}

export function begins(first: string, concern: Concern): Look {
  return ({ words }) => (first.split(' ').every((text, at) => words[at] === text) ? concern : null);
}

/** For programs that change `what`. They only look if a matching word says so or, by default, without any words. */
export function looksBy(what: string, word: RegExp, isAlone = true): Look {
  return ({ name, words }) => {
    const looks = hasWord(words, word) || (isAlone && words.length === 0);
    return looks ? null : block(`${name} changes ${what}`);
  };
}

export function block(why: string, instead?: string): Concern {
  return { tier: 'block', why, instead };
}

export function warn(why: string, instead?: string): Concern {
  return { tier: 'warn', why, instead };
}

export function worst(concerns: readonly (Concern | null)[]): Concern | null {
  return concerns.find((concern) => concern?.tier === 'block') ?? first(concerns);
}

export function first<T>(found: readonly (T | null)[]): T | null {
  return found.find((each) => each !== null) ?? null;
}
