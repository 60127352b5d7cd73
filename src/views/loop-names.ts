/** What a loop is called: the short form of its id that a list shows, and which loop a person means by a name. */
import { dirname } from 'node:path';
import { RalphError } from '../core/error.ts';
import { isReadable, type ReadableLoop, type StoredLoop } from '../engine/store/loop-store.ts';

/** People can type so many characters without looking again. */
const SHORTEST = 4;

/** The part of an id that tells it from others: not the date that it begins with. */
function ownPart(id: string): string {
  const [, random] = /^\d{8}-\d{6}-([0-9a-f]{8})$/.exec(id) ?? [];
  if (random !== undefined) return random;
  const [, session = id, number = ''] = /^session-([\w-]+?)(\.\d+)?$/.exec(id) ?? [];
  return number === '' ? session : `${session.slice(0, 8)}${number}`;
}

/** The shortest name for each loop that means no other one. */
export function shortNames(ids: readonly string[]): ReadonlyMap<string, string> {
  const known = [...new Set(ids)];
  const parts = known.map((id) => ownPart(id)).sort();
  const names = new Map<string, string>();
  for (const id of known) {
    const part = ownPart(id);
    const at = parts.indexOf(part);
    const shared = Math.max(sharedLength(part, parts[at - 1]), sharedLength(part, parts[at + 1]));
    names.set(id, shared >= part.length ? id : part.slice(0, Math.max(SHORTEST, shared + 1)));
  }
  return names;
}

function sharedLength(a: string, b = ''): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

export interface Meant {
  /** An id, the beginning of one or of its short form, a worker's name or a task's id; null for the newest loop here. */
  readonly name: string | null;
  /** The directory that a person is in. */
  readonly cwd: string;
  /** Which loops are meant where none is named, and what they are called. */
  readonly among?: { is(loop: ReadableLoop): boolean; readonly what: string };
}

export function findLoop(loops: readonly StoredLoop[], { name, cwd, among }: Meant): ReadableLoop {
  const readable = loops.filter(isReadable);
  if (name === null) {
    const meant = readable.filter((loop) => among?.is(loop) !== false);
    // In a folder of a project, the loops of the project are meant.
    for (const folder of upFrom(cwd)) {
      const newest = meant.findLast((loop) => isHere(loop, folder));
      if (newest !== undefined) return newest;
    }
    throw new RalphError('NO_LOOP', `there is no ${among?.what ?? 'loop'} in ${cwd}`, { hint: hintFor(loops, null) });
  }
  const named = loops.filter((loop) => isReadable(loop) && loop.about.name === name);
  const [one, ...more] = firstOf(
    () => loops.filter(({ id }) => id === name || ownPart(id) === name),
    // A name is given again: the newest loop has it now.
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

/** It may be one that cannot be read. */
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
