/** One kind of danger: a look at one command, and what it makes of it. */
import { type Command, type Flow, hasWord, table } from './command.ts';
import type { Folders } from './paths.ts';

export interface Context extends Folders {
  readonly protectedFolders: readonly string[];
  /** Has the work tree at this folder changes that no commit holds? Asked only when it matters. */
  readonly isDirty: (folder: string) => boolean;
  /** The addresses of the remotes of the repository at this folder. Asked only when it matters. */
  readonly remotes: (folder: string) => readonly string[];
  readonly exists: (path: string) => boolean;
}

/** What is known before git is asked. */
export type ContextWithoutGit = Omit<Context, 'isDirty' | 'remotes'>;

/** The same in the middle of a text, with what its commands have done so far. */
export interface Seen extends Context {
  /** A file that was written by a command before, and what went into it. */
  readonly written: (path: string, cwd: string | null) => Flow | null;
  readonly before: (command: Command) => readonly Command[];
}

export interface Concern {
  readonly tier: 'block' | 'warn';
  /** Completes "it …". */
  readonly why: string;
  readonly instead?: string | undefined;
}

export interface Category {
  readonly number: number;
  readonly name: string;
  /** What to do instead, where the concern has nothing better to say. */
  readonly instead: string;
  /** Does it matter inside of a container too? The files there are not ours, but its data may be. */
  readonly holdsInContainers?: true;
  readonly look: Look;
}

export type Look = (command: Command, context: Seen) => Concern | null;

/** What is said of programs by their names; `others` looks at all that have no rule. */
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

/** Changes what is named, unless it is called only to look, or, as most, without a word. */
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
