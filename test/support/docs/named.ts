/** The commands and flags that a page names. */
import { blocksIn, spansIn } from './pages.ts';

export interface Named {
  /** The text on the page. */
  readonly text: string;
  readonly binary: string;
  /** The words up to the end of the command, with `TEXT` for what is in quotes. */
  readonly words: readonly string[];
}

/** A command starts a line or a span, or follows a prompt or a shell separator; a comment or a separator ends it. */
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

/** Joins lines that a backslash continues. */
const unfolded = (code: string): string => code.replaceAll(/\\\n\s*/g, '');

/** The words up to `--`, where those of another program begin, or to the column that describes the command. */
function wordsOf(rest: string): string[] {
  const [own = ''] = rest.replaceAll(/"[^"]*"|'[^']*'/g, 'TEXT').split(/ -- | {2,}/);
  return own.trim().split(' ');
}

/** Flags that are named on their own, such as `--sandbox=os`, but not `--allow-…`, which stands for several. */
export function bareFlagsIn(page: string): string[] {
  return spansIn(page).flatMap((span) => /^--[a-z][\w-]*\w(?![\w…-])/.exec(span) ?? []);
}
