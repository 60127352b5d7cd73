/** A shell's text as a tree, by the package unbash: it takes everything, and says where a text makes no sense. */
import type * as unbash from 'unbash';
import { forEachChild, parse } from 'unbash';
import { list } from '../command.ts';

/** The parser's time grows with the square of the braces that a word opens and never closes: 40,000 take it 20 s. */
const MOST_OPEN_BRACES = 2000;

/** Null for a text that nests too deeply to be read. */
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

/** Names under which the walk notes them; no program is called so. */
export const FORK_BOMB = '(fork bomb)';
export const ENDLESS_FORK = '(endless fork)';

/** A function that calls itself through a pipe or into the background. */
export function isForkBomb({ name, body }: unbash.Function): boolean {
  return multiplies(body, name.value, false);
}

/** `while true; do x & done`: nothing in it waits. */
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
  // What decides whether the rest is run is no part of it.
  const bodies = childrenOf(node).filter((child) => !('clause' in node) || child !== node.clause);
  return bodies.some((child) => multiplies(child, name, areMany));
}

function isCallOf(node: unbash.SyntaxNode, names: readonly string[]): node is unbash.Command {
  return node.type === 'Command' && node.name !== undefined && names.includes(node.name.value);
}
