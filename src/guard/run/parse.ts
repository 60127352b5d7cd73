/** Parses shell text into a tree with the package unbash, which accepts any text and reports syntax errors. */
import type * as unbash from 'unbash';
import { forEachChild, parse } from 'unbash';
import { list } from '../command.ts';

/** The parser's time grows with the square of the unclosed braces in a word: 40,000 take it 20 s. */
const MOST_OPEN_BRACES = 2000;

/** Null for a text that is nested too deeply to parse. */
export function parsed(text: string): unbash.ParsedScript | null {
  if (hasTooManyBraces(text)) return null;
  try {
    return parse(text);
  } catch (error) {
    // The parser bounds most of its recursion, but not all: `f() f() f() …` exhausts the stack.
    if (error instanceof RangeError) return null;
    throw error;
  }
}

function hasTooManyBraces(text: string): boolean {
  let open = 0;
  for (const mark of text.matchAll(/[{}\s]/g)) {
    if (mark[0] === '{') open++;
    else open = mark[0] === '}' ? Math.max(open - 1, 0) : 0;
    if (open > MOST_OPEN_BRACES) return true;
  }
  return false;
}

export function childrenOf(node: unbash.SyntaxNode): unbash.SyntaxNode[] {
  const children: unbash.SyntaxNode[] = [];
  forEachChild(node, (child) => void children.push(child));
  return children;
}

/** Names under which the walk records them; no program has such a name. */
export const FORK_BOMB = '(fork bomb)';
export const ENDLESS_FORK = '(endless fork)';

/** A function that calls itself through a pipe or into the background. */
export function isForkBomb({ name, body }: unbash.Function): boolean {
  return multiplies(body, name.value, false);
}

/** `while true; do x & done`: no command in it waits. */
export function isEndlessFork({ kind, clause, body }: unbash.While): boolean {
  return (
    kind === 'while' &&
    clause.commands.length > 0 &&
    clause.commands.every(({ command }) => isCallOf(command, ['true', ':']) && command.args.length === 0) &&
    body.commands.some(({ background }) => background) &&
    !body.commands.some(({ command }) => isCallOf(command, ['wait', 'sleep', 'read', 'break']))
  );
}

const CONTAINERS = list(`
  CompoundList Statement AndOr Pipeline Redirected Subshell BraceGroup Coproc
  For ArithmeticFor Select While If Elif Case CaseItem
`);

function multiplies(node: unbash.SyntaxNode, name: string, isMany: boolean): boolean {
  if (isCallOf(node, [name])) return isMany;
  if (!CONTAINERS.includes(node.type)) return false;
  const isInBackground = node.type === 'Statement' && node.background === true;
  const areMany = isMany || isInBackground || node.type === 'Pipeline' || node.type === 'Coproc';
  // The condition is not part of the body.
  const bodies = childrenOf(node).filter((child) => !('clause' in node) || child !== node.clause);
  return bodies.some((child) => multiplies(child, name, areMany));
}

function isCallOf(node: unbash.SyntaxNode, names: readonly string[]): node is unbash.Command {
  return node.type === 'Command' && node.name !== undefined && names.includes(node.name.value);
}
