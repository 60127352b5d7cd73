/** Finds the loop that a command is about: the one with the given name, or else the newest one here. */
import { isReadable, type LoopStore, type ReadableLoop, type StoredLoop } from '../engine/store/loop-store.ts';
import { ownPart, shortNameAmong, shortNames } from '../state/short-names.ts';
import { findLoop, type Meant } from './loop-names.ts';

export interface Found {
  readonly loop: ReadableLoop;
  /** Its name in lists. */
  readonly short: string;
  /** All loops, if another one may continue its task; otherwise only this one. */
  readonly all: readonly StoredLoop[];
}

export async function foundLoop(store: LoopStore, meant: Meant): Promise<Found> {
  const exact = meant.name === null ? null : await foundById(store, meant.name);
  if (exact !== null) return exact;
  const all = await store.list();
  const loop = findLoop(all, meant);
  const short = shortNames(all.map(({ id }) => id)).get(loop.id) ?? loop.id;
  return { loop, short, all };
}

/** A whole id means one loop, so the others need not be read. Null if they have to be. */
async function foundById(store: LoopStore, name: string): Promise<Found | null> {
  const ids = await store.ids();
  const [id, ...more] = ids.filter((each) => each === name || ownPart(each) === name);
  const loop = id === undefined || more.length > 0 ? null : await store.read(id);
  // A task may continue in another loop, so all loops have to be read.
  if (loop === null || !isReadable(loop) || loop.loopKind === 'task') return null;
  return { loop, short: shortNameAmong(ids, loop.id), all: [loop] };
}
