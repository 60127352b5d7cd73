/** The paths of all that ralph stores: one folder per loop, private to the user, outside of the work tree. */
import { dirname, isAbsolute, join } from 'node:path';
import { digestOf } from '../core/text/digest.ts';
import type { Instant } from '../core/time.ts';

/** The root of everything: `${XDG_STATE_HOME:-~/.local/state}/ralph`. The caller reads the environment. */
export interface StateRoot {
  readonly path: string;
}

export function stateRoot({ XDG_STATE_HOME: given = '', HOME: home }: NodeJS.ProcessEnv): StateRoot {
  // The XDG specification says to ignore a relative path.
  return { path: join(isAbsolute(given) ? given : join(home || '/', '.local', 'state'), 'ralph') };
}

export function loopsFolder(root: StateRoot): string {
  return `${root.path}/loops`;
}

/** The output of loops that are started in the background, until it is known which loop it belongs to. */
export function startsFolder(root: StateRoot): string {
  return join(root.path, 'starts');
}

export function loopFolder(root: StateRoot, id: string): string {
  return `${loopsFolder(root)}/${id}`;
}

/** The root of the loop in this folder. */
export function rootOf(loop: string): StateRoot {
  return { path: dirname(dirname(loop)) };
}

/** The time, and a random part that distinguishes loops of the same second. */
export function newLoopId(now: Instant): string {
  const stamp = new Date(now).toISOString().replaceAll(/[-:]/g, '').replace('T', '-').slice(0, 15);
  const random = Math.floor(Math.random() * 2 ** 32).toString(16);
  return `${stamp}-${random.padStart(8, '0')}`;
}

export function isLoopId(name: string): boolean {
  return /^\d{8}-\d{6}-[0-9a-f]{8}$/.test(name);
}

// Not `join`: a list calls this thousands of times.
export function journalPath(loop: string): string {
  return `${loop}/journal.jsonl`;
}

export function statusPath(loop: string): string {
  return `${loop}/status.json`;
}

/** Records what the sandbox refused to ralph's own programs that read the work tree. */
export function refusedLooks(folder: string): string {
  return join(folder, 'refused-looks');
}

/** Holds the last sign of life of its supervisor. */
export function alivePath(loop: string): string {
  return join(loop, 'alive');
}

/** The lock of one loop, for loops that own no work tree. */
export function loopLock(loop: string): string {
  return `${loop}/lock`;
}

/** Its modification time is when old loops were last deleted automatically. */
export function collectedStamp(root: StateRoot): string {
  return join(root.path, 'collected');
}

export function locksFolder(root: StateRoot): string {
  return join(root.path, 'locks');
}

/** The lock of a work tree: two loops in one directory would undo each other's work. */
export function workTreeLock(root: StateRoot, cwd: string): string {
  return join(locksFolder(root), digestOf(cwd));
}
