/** Shapes of a script that multiply without end: they are seen in its structure, not in a command. */
import type { Command, Function as FunctionNode, SyntaxNode, While } from 'unbash';
import { list } from '../tables.ts';
import { childrenOf } from './parse.ts';

/** Names under which the walk notes them; no program is called so. */
export const FORK_BOMB = '(fork bomb)';
export const ENDLESS_FORK = '(endless fork)';

/** A function that calls itself through a pipe or into the background. */
export function isForkBomb({ name, body }: FunctionNode): boolean {
  return multiplies(body, name.value, false);
}

/** `while true; do x & done`: nothing in it waits. */
export function isEndlessFork({ kind, clause, body }: While): boolean {
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

function multiplies(node: SyntaxNode, name: string, isMany: boolean): boolean {
  if (isCallOf(node, [name])) return isMany;
  if (!CONTAINERS.includes(node.type)) return false;
  const isInBackground = node.type === 'Statement' && node.background === true;
  const areMany = isMany || isInBackground || node.type === 'Pipeline' || node.type === 'Coproc';
  // What decides whether the rest is run is no part of it.
  const bodies = childrenOf(node).filter((child) => !('clause' in node) || child !== node.clause);
  return bodies.some((child) => multiplies(child, name, areMany));
}

function isCallOf(node: SyntaxNode, names: readonly string[]): node is Command {
  return node.type === 'Command' && node.name !== undefined && names.includes(node.name.value);
}
