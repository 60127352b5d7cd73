/**
 * Takes away what has appeared where nothing is to be: what something outside of the sandbox would obey. Nothing can be
 * mounted over a name that is not there without making it, for all to see; so it is moved out of the way. On Linux
 * only: elsewhere a sandbox goes by names, and lets none of these be made.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, constants, lstatSync, openSync, renameSync, watch } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { errnoOf } from '../../core/error.ts';
import { makeFolders } from '../../process/files.ts';
import { isUnder, mounted, type SandboxPolicy } from './policy.ts';
import type { Refusal } from './refusals.ts';

type Guarded = Pick<SandboxPolicy, 'vacant' | 'writable' | 'unreadable'>;

const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants;
/** Nothing is there, or it was taken away or exchanged while we looked: the next look tells. */
const PASSING = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM', 'EBUSY'];

/** `folder`: hidden from every sandbox. */
export function putAside(policy: Guarded, folder: string): Refusal[] {
  const roots = mounted(policy);
  return policy.vacant.flatMap((path) => {
    const root = roots.filter((each) => isUnder(path, each)).sort((a, b) => b.length - a.length)[0];
    return root === undefined ? [] : taken(root, path, folder);
  });
}

/** Looks again whenever something of such a name is made, until it is closed. */
export function watchVacant({ vacant }: Pick<Guarded, 'vacant'>, look: () => void): { close(): void } {
  const watchers = [...new Set(vacant.map((path) => dirname(path)))].flatMap((parent) => {
    const names = new Set(vacant.filter((path) => dirname(path) === parent).map((path) => basename(path)));
    try {
      const watcher = watch(parent, (_event, name) => {
        if (name === null || names.has(name)) look();
      });
      // A folder that goes away is nothing to watch any more.
      watcher.on('error', () => watcher.close());
      return [watcher];
    } catch {
      // Not there yet: what is made in it is seen when the program has ended.
      return [];
    }
  });
  return {
    close() {
      for (const watcher of watchers) watcher.close();
    },
  };
}

/** Step by step from what cannot be exchanged from inside; a link on the way is the agent's, and is taken itself. */
function taken(root: string, path: string, folder: string): Refusal[] {
  const steps = relative(root, path).split('/');
  const held: number[] = [];
  try {
    for (const [index, name] of steps.entries()) {
      const parent = held.at(-1) ?? openSync(root, O_RDONLY | O_DIRECTORY);
      if (index === 0) held.push(parent);
      const here = `/proc/self/fd/${parent}/${name}`;
      const stat = lstatSync(here);
      const walked = join(root, ...steps.slice(0, index + 1));
      if (walked === path || stat.isSymbolicLink()) return [moved(here, walked, folder)];
      held.push(openSync(here, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
    }
    return [];
  } catch (error) {
    if (PASSING.includes(errnoOf(error) ?? '')) return [];
    throw error;
  } finally {
    for (const fd of held) closeSync(fd);
  }
}

function moved(here: string, path: string, folder: string): Refusal {
  const name = `${basename(path)}.${randomUUID()}`;
  let kept = join(folder, name);
  makeFolders(folder, 0o700);
  try {
    renameSync(here, kept);
  } catch (error) {
    if (errnoOf(error) !== 'EXDEV') throw error;
    // On another disk: beside it, under a name that nothing obeys.
    kept = join(dirname(path), name);
    renameSync(here, join(dirname(here), name));
  }
  return { what: 'write', target: path, allow: path, kept };
}
