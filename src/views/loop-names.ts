/** Finds the loop that a name refers to. */
import { dirname } from 'node:path';
import { RalphError } from '../core/error.ts';
import { isReadable, type ReadableLoop, type StoredLoop } from '../engine/store/loop-store.ts';
import { ownPart, shortNames } from '../state/short-names.ts';

export interface Meant {
  /** An id, its short form, the beginning of either, a worker's name or a task's id; null for the newest loop here. */
  readonly name: string | null;
  /** The directory of the command that looks for a loop. */
  readonly cwd: string;
  /** Which loops to choose from if none is named, and what error messages call them. */
  readonly among?: { is(loop: ReadableLoop): boolean; readonly what: string };
}

export function findLoop(loops: readonly StoredLoop[], { name, cwd, among }: Meant): ReadableLoop {
  const readable = loops.filter(isReadable);
  if (name === null) {
    const meant = readable.filter((loop) => among?.is(loop) !== false);
    // In a subfolder of a project, use the loops of the project.
    for (const folder of upFrom(cwd)) {
      const newest = meant.findLast((loop) => isHere(loop, folder));
      if (newest !== undefined) return newest;
    }
    throw new RalphError('NO_LOOP', `there is no ${among?.what ?? 'loop'} in ${cwd}`, { hint: hintFor(loops, null) });
  }
  const named = loops.filter((loop) => isReadable(loop) && loop.about.name === name);
  const [one, ...more] = firstOf(
    () => loops.filter(({ id }) => id === name || ownPart(id) === name),
    // Names are reused: the newest loop with this name has it now.
    () => named.slice(-1),
    () => loops.filter(({ id }) => id.startsWith(name) || ownPart(id).startsWith(name)),
  );
  if (one === undefined) {
    throw new RalphError('NO_LOOP', `there is no loop "${name}" on this machine`, { hint: hintFor(loops, cwd) });
  }
  if (more.length > 0) throw ambiguous(name, [one, ...more], loops);
  if (isReadable(one)) return one;
  const hint = 'Restore it from a backup, or start a new loop.';
  throw new RalphError('LOOP_UNREADABLE', `loop ${one.id} cannot be read: ${one.problem}`, { hint });
}

const MOST_NAMED = 5;

function hintFor(loops: readonly StoredLoop[], cwd: string | null): string {
  const unreadable = loops.find((loop) => !isReadable(loop));
  if (unreadable !== undefined && 'problem' in unreadable) {
    return `It may be one that cannot be read: ${unreadable.id}: ${unreadable.problem}`;
  }
  const here = loops.filter((loop) => isReadable(loop) && cwd !== null && isHere(loop, cwd)).slice(-MOST_NAMED);
  const names = shortNames(loops.map(({ id }) => id));
  const known = here.map(({ id }) => names.get(id) ?? id).toReversed();
  if (known.length > 0) return `The newest loops here: ${known.join(', ')}. To see all of them: ralph ls --all`;
  return loops.length === 0 ? 'Start one: ralph run "…"' : 'To see all of them: ralph ls --all';
}

export const isHere = ({ about, cwd: own }: ReadableLoop, cwd: string): boolean =>
  (about.cwd ?? own) === cwd || about.startedFrom === cwd;

function firstOf(...looks: readonly (() => StoredLoop[])[]): StoredLoop[] {
  for (const look of looks) {
    const found = look();
    if (found.length > 0) return found;
  }
  return [];
}

function upFrom(folder: string): string[] {
  const above = dirname(folder);
  return above === folder ? [folder] : [folder, ...upFrom(above)];
}

function ambiguous(name: string, found: readonly StoredLoop[], loops: readonly StoredLoop[]): RalphError {
  const names = shortNames(loops.map(({ id }) => id));
  const ids = found.slice(0, 5).map(({ id }) => names.get(id) ?? id);
  const rest = found.length > ids.length ? ` and ${found.length - ids.length} more` : '';
  const hint = `Type more of one of these: ${ids.join(', ')}${rest}`;
  return new RalphError('AMBIGUOUS', `"${name}" means ${found.length} loops`, { hint });
}
