/** Shapes of a script that multiply without end: they are seen in its structure, not in a command. */
import type { Node, Script } from '../shell/syntax.ts';

/** Names under which the walk notes them; no program is called so. */
export const FORK_BOMB = '(fork bomb)';
export const ENDLESS_FORK = '(endless fork)';

/** A function that calls itself through a pipe or into the background. */
export function isForkBomb({ name, body }: Extract<Node, { kind: 'function' }>): boolean {
  return multiplies(body, name, false);
}

/** `while true; do x & done`: nothing in it waits. */
export function isEndlessFork({ condition, items, variable, body }: Extract<Node, { kind: 'loop' }>): boolean {
  if (items.length > 0 || variable !== null || !condition.every(({ node }) => isAlwaysTrue(node))) return false;
  if (condition.length === 0) return false;
  return (
    body.some(({ isBackground }) => isBackground) &&
    !body.some(({ node }) => isCallOf(node, ['wait', 'sleep', 'read', 'break']))
  );
}

function multiplies(node: Node, name: string, isMany: boolean): boolean {
  switch (node.kind) {
    case 'simple':
      return isMany && isCallOf(node, [name]);
    case 'pipeline':
      return node.parts.some((part) => multiplies(part, name, true));
    case 'group':
      return multipliesIn(node.body, name, isMany);
    case 'loop':
      return multipliesIn(node.body, name, isMany);
    case 'branches':
      return node.bodies.some((body) => multipliesIn(body, name, isMany));
    case 'function':
      return false;
  }
}

function multipliesIn(script: Script, name: string, isMany: boolean): boolean {
  return script.some(({ node, isBackground }) => multiplies(node, name, isMany || isBackground));
}

function isAlwaysTrue(node: Node): boolean {
  return node.kind === 'simple' && node.words.length === 1 && isCallOf(node, ['true', ':']);
}

function isCallOf(node: Node, names: readonly string[]): boolean {
  if (node.kind !== 'simple') return false;
  const first = node.words[0]?.map((unit) => (unit.kind === 'text' ? unit.text : '')).join('');
  return first !== undefined && names.includes(first);
}
