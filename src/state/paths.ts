/** Where the truth lives: one folder per loop, private to the user, outside the work tree. */
import { isAbsolute, join } from 'node:path';

/** The root of everything, from `${XDG_STATE_HOME:-~/.local/state}`; the caller has read the environment. */
export interface StateRoot {
  readonly path: string;
}

export function stateRoot(environment: {
  readonly XDG_STATE_HOME?: string | undefined;
  readonly HOME?: string | undefined;
}): StateRoot {
  // A relative path is to be ignored, says the specification.
  const given = environment.XDG_STATE_HOME ?? '';
  const base = isAbsolute(given) ? given : join(environment.HOME || '/', '.local', 'state');
  return { path: join(base, 'ralph') };
}

export function loopsFolder(root: StateRoot): string {
  return join(root.path, 'loops');
}

export function loopFolder(root: StateRoot, id: string): string {
  return join(loopsFolder(root), id);
}

export function journalPath(loop: string): string {
  return join(loop, 'journal.jsonl');
}

/** The lock of one loop, for turners that own no work tree. */
export function loopLock(loop: string): string {
  return join(loop, 'lock');
}

export function statusPath(loop: string): string {
  return join(loop, 'status.json');
}
