/** The loop that a person or a program means: by a name, or the one that there is. */
import { isReadable, type LoopStore, type ReadableLoop, type StoredLoop } from '../engine/store/loop-store.ts';
import { ownPart, shortNameAmong, shortNames } from '../state/short-names.ts';
import { findLoop, type Meant } from './loop-names.ts';

export interface Found {
  readonly loop: ReadableLoop;
  /** The name by which lists show it. */
  readonly short: string;
  /** Every loop, if one of them can have taken its place. */
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

/** A whole id means one loop, whatever others are called: they need not be read. Null where it is not that plain. */
async function foundById(store: LoopStore, name: string): Promise<Found | null> {
  const ids = await store.ids();
  const [id, ...more] = ids.filter((each) => each === name || ownPart(each) === name);
  const loop = id === undefined || more.length > 0 ? null : await store.read(id);
  // The task of one that is over may go on in another loop.
  if (loop === null || !isReadable(loop) || loop.loopKind === 'task') return null;
  return { loop, short: shortNameAmong(ids, loop.id), all: [loop] };
}
