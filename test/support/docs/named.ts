/** The commands and flags that a page names. */
import { blocksIn, spansIn } from './pages.ts';

export interface Named {
  /** As it stands there. */
  readonly text: string;
  readonly binary: string;
  /** The words up to the end of the command, without what stands in quotes. */
  readonly words: readonly string[];
}

/** A command begins a line, follows a prompt or a separator of shells, or begins a span; a comment or a separator ends it. */
const COMMAND = /(?:^|[|;&(] ?|\$ |-- |: |! )(ralph|swarm) ([^\n|;&)#]+)/gm;

export function namedIn(page: string): Named[] {
  const code = [...blocksIn(page).flatMap(({ code }) => unfolded(code).split('\n')), ...spansIn(page)];
  return code.flatMap((line) =>
    [...line.trim().matchAll(COMMAND)].map(([text, binary = '', rest = '']) => ({
      text,
      binary,
      words: wordsOf(rest),
    })),
  );
}

/** With lines that a backslash continues. */
const unfolded = (code: string): string => code.replaceAll(/\\\n\s*/g, '');

/** Up to `--`, behind which the words are another program's, or to the column that says what the command is for. */
function wordsOf(rest: string): string[] {
  const [own = ''] = rest.replaceAll(/"[^"]*"|'[^']*'/g, 'TEXT').split(/ -- | {2,}/);
  return own.trim().split(' ');
}

/** Flags that are named on their own, such as `--sandbox=os`; `--allow-…` stands for several. */
export function bareFlagsIn(page: string): string[] {
  return spansIn(page).flatMap((span) => /^--[a-z][\w-]*\w(?![\w…-])/.exec(span) ?? []);
}
