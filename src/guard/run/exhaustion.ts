/** Shapes of a script that multiply without end: they are seen in its structure, not in a command. */
import type { AndOr, CompoundList, Function as FunctionNode, PipelineNode, While } from 'unbash';

type Node = PipelineNode | AndOr | CompoundList;

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

function multiplies(node: Node, name: string, isMany: boolean): boolean {
  switch (node.type) {
    case 'Command':
      return isMany && isCallOf(node, [name]);
    case 'Pipeline':
      return node.commands.some((part) => multiplies(part, name, true));
    case 'AndOr':
      return node.commands.some((part) => multiplies(part, name, isMany));
    case 'CompoundList':
      return node.commands.some(({ command, background }) => multiplies(command, name, isMany || background === true));
    case 'Redirected':
      return multiplies(node.command, name, isMany);
    case 'Subshell':
    case 'BraceGroup':
    case 'For':
    case 'ArithmeticFor':
    case 'Select':
    case 'While':
      return multiplies(node.body, name, isMany);
    case 'Coproc':
      return multiplies(node.body, name, true);
    case 'If':
      return [node.then, ...node.elif.map(({ then }) => then), ...(node.else === undefined ? [] : [node.else])].some(
        (body) => multiplies(body, name, isMany),
      );
    case 'Case':
      return node.items.some(({ body }) => multiplies(body, name, isMany));
    case 'TestCommand':
    case 'ArithmeticCommand':
    case 'Function':
      return false;
  }
}

function isCallOf(node: Node, names: readonly string[]): node is Extract<Node, { type: 'Command' }> {
  return node.type === 'Command' && node.name !== undefined && names.includes(node.name.value);
}
