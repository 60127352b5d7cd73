/**
 * The loops of a store, kept up to date: each is read again when its folder says that it changed, and now and then to see
 * whether its supervisor still lives. More is read of those only that are on the screen.
 */
import type { Recorded } from '../../core/record.ts';
import type { Mask } from '../../core/text/mask.ts';
import type { Duration, Instant } from '../../core/time.ts';
import { isReadable, type LoopStore, type ReadableLoop, type StoredLoop } from '../../engine/store/loop-store.ts';
import { shortNames } from '../../state/short-names.ts';
import { type Activity, activityReader } from '../../views/activity.ts';
import { CONDITIONS, conditionOf } from '../../views/loop-condition.ts';
import { taskOf } from '../../views/loop-task.ts';
import { shortClock } from '../../views/loop-words.ts';
import { machineOf } from '../../views/machines.ts';
import { successorsIn } from '../../views/resumable.ts';
import { type Bar, iterationBars } from '../../views/timeline/iteration-bars.ts';
import type { LoopItem, Snapshot } from '../data.ts';

/** Changes that come close together are read together, and a loop that changes all the time so often. */
const GATHER_MS: Duration = 200;
const EACH_EVERY_MS: Duration = 1000;
/** A supervisor that is killed says nothing: those on the screen are looked at so often, and the others. */
const ALIVE_EVERY_MS: Duration = 5000;
const UNSEEN_EVERY_MS: Duration = 20_000;
/** A list takes no more than so much of a core, however many loops there are. */
const LIST_SHARE = 1 / 400;
const LEAST_LIST_MS: Duration = 30_000;
const RECENT_MS: Duration = 24 * 60 * 60_000;
/** Of how many loops the bars are kept: those on the screen, and some that were. */
const MOST_REMEMBERED = 120;

interface Options {
  readonly store: LoopStore;
  /** Also those that have not changed for a day. */
  readonly all: boolean;
  readonly now: () => Instant;
  readonly mask: Mask;
  onChange(): void;
}

interface Known {
  item: LoopItem;
  readonly activity: ReturnType<typeof activityReader>;
  /** What it gave last, with keys in it. */
  heard: Activity | null;
  unwatch: (() => void) | null;
  history: History | null;
  hasTask: boolean;
  /** When its status was last read. */
  readAt: number;
}

/** Its iterations, read as far as its journal went when it was last looked at. */
interface History {
  readonly fold: ReturnType<typeof iterationBars>;
  readonly read: () => Promise<readonly Recorded[]>;
  readBytes: number;
}

export function liveLoops({ store, all, now, mask, onChange }: Options) {
  const known = new Map<string, Known>();
  const changed = new Set<string>();
  let names: ReadonlyMap<string, string> = new Map();
  let successors: ReadonlyMap<string, ReadableLoop> = new Map();
  let unreadable: readonly string[] = [];
  let older = 0;
  let sorted: readonly LoopItem[] | null = null;
  let seen: readonly string[] = [];
  let gathering: NodeJS.Timeout | null = null;
  let [listedAt, listMs, aliveAt, unseenAt] = [0, 0, 0, 0];
  let isClosed = false;

  const clock = (at: Instant): string => shortClock(now())(at);
  const isShown = (loop: ReadableLoop): boolean =>
    all || (loop.ending === null && loop.supervisor !== null) || now() - loop.updatedAt < RECENT_MS;

  const shortOf = (id: string): string => names.get(id) ?? id;
  const put = (read: ReadableLoop): void => {
    const before = known.get(read.id);
    const short = shortOf(read.id);
    const by = successors.get(read.id);
    const successor = by === undefined ? null : shortOf(by.id);
    // What was said to it went to the loop that goes on.
    const loop = successor === null ? read : { ...read, messages: [] };
    // What stays the same is not drawn again, and makes no work for the garbage collector.
    const isNamedSo = before?.item.short === short && before.item.successor === successor;
    if (before !== undefined && isNamedSo && isSame(before.item.loop, loop)) return;
    const condition = conditionOf(loop, clock);
    const kept = before?.item ?? { activity: null, bars: [], task: null };
    const isAtWork = loop.transcript !== null && loop.supervisor !== null;
    const item = { ...kept, loop, short, successor, condition, activity: isAtWork ? kept.activity : null };
    if (before === undefined) {
      const activity = activityReader(store);
      known.set(loop.id, {
        item,
        activity,
        heard: null,
        unwatch: watched(loop.id),
        history: null,
        hasTask: false,
        readAt: 0,
      });
    } else before.item = item;
    sorted = null;
  };
  const drop = (id: string): void => {
    const gone = known.get(id);
    gone?.unwatch?.();
    known.delete(id);
    sorted = null;
  };
  const watched = (id: string): (() => void) | null => {
    try {
      return store.watch(id, () => {
        // It is known that it has changed: what else happens there until it is read costs nothing.
        rest(id);
        later(id);
      });
    } catch {
      // It has just been deleted; the next list does without it.
      return null;
    }
  };
  const rest = (id: string): void => {
    const one = known.get(id);
    one?.unwatch?.();
    if (one !== undefined) one.unwatch = null;
  };
  const later = (id: string): void => {
    changed.add(id);
    gathering ??= setTimeout(() => void gather(), GATHER_MS);
  };
  const gather = async (): Promise<void> => {
    const at = performance.now();
    for (const id of changed) {
      const one = known.get(id);
      if (one !== undefined && at - one.readAt < EACH_EVERY_MS) continue;
      changed.delete(id);
      if (one === undefined) continue;
      one.readAt = at;
      // Before it is read: what comes later is announced again.
      one.unwatch ??= watched(id);
      const loop = await store.read(id);
      if (isClosed) return;
      if (loop === null) drop(id);
      else if (isReadable(loop)) put(loop);
    }
    gathering = changed.size > 0 ? setTimeout(() => void gather(), GATHER_MS) : null;
    onChange();
  };
  const list = async (): Promise<void> => {
    const begun = performance.now();
    const loops: readonly StoredLoop[] = await store.list();
    if (isClosed) return;
    names = shortNames(loops.map(({ id }) => id));
    const readable = loops.filter(isReadable);
    successors = successorsIn(readable);
    const shown = readable.filter((loop) => (all || !successors.has(loop.id)) && isShown(loop));
    older = readable.length - shown.length;
    unreadable = loops.flatMap((loop) => (isReadable(loop) ? [] : [`${loop.id}: ${loop.problem}`]));
    const ids = new Set(shown.map(({ id }) => id));
    for (const id of known.keys()) if (!ids.has(id)) drop(id);
    for (const loop of shown) put(loop);
    listMs = performance.now() - begun;
    listedAt = performance.now();
    onChange();
  };
  const stopWatching = store.watch(null, () => {
    listedAt = 0;
  });

  const items = (): readonly LoopItem[] => {
    const rank = ({ condition }: LoopItem): number => CONDITIONS.indexOf(condition.is);
    sorted ??= [...known.values()]
      .map(({ item }) => item)
      .sort((a, b) => rank(a) - rank(b) || b.loop.createdAt - a.loop.createdAt);
    return sorted;
  };
  /** The bars of a loop that is in sight. */
  const barsOf = async (one: Known): Promise<readonly Bar[]> => {
    const { id, loopKind, journalBytes } = one.item.loop;
    const machine = await machineOf(loopKind);
    if (machine === null) return NO_BARS;
    one.history ??= { fold: iterationBars(machine), read: store.reader(id), readBytes: 0 };
    const { history } = one;
    if (history.readBytes !== journalBytes) {
      history.readBytes = journalBytes;
      // A journal that cannot be read has no more bars: its row says what else is known.
      for (const record of await history.read().catch(() => [])) history.fold.take(record);
    }
    return history.fold.bars();
  };
  const freshen = async (one: Known): Promise<boolean> => {
    const { item } = one;
    if (!one.hasTask) {
      one.hasTask = true;
      const task = await taskOf(store, item.loop).catch(() => null);
      one.item = { ...one.item, task };
      sorted = null;
    }
    const bars = await barsOf(one);
    const heard = await one.activity(one.item.loop);
    if (heard === one.heard && bars === one.item.bars) return false;
    one.heard = heard;
    const activity = heard === null ? null : { ...heard, text: heard.text === null ? null : mask(heard.text) };
    one.item = { ...one.item, activity, bars };
    sorted = null;
    return true;
  };
  const forget = (): void => {
    const remembered = [...known.values()].filter((one) => one.history !== null);
    const unseen = remembered.filter(({ item }) => !seen.includes(item.loop.id));
    for (const one of unseen.slice(0, Math.max(0, remembered.length - MOST_REMEMBERED))) one.history = null;
  };

  return {
    snapshot: (): Omit<Snapshot, 'detail'> => ({ items: items(), older, unreadable }),
    /** The loops that are on the screen. */
    look(ids: readonly string[]): void {
      seen = ids;
    },
    /** After a command of ours. */
    refresh(id: string): void {
      const one = known.get(id);
      if (one !== undefined) one.readAt = 0;
      later(id);
    },
    /** Reads what is due; called about once a second. */
    async tick(): Promise<void> {
      const at = performance.now();
      const pause = Math.max(LEAST_LIST_MS, listMs / LIST_SHARE);
      if (listedAt === 0 || at - listedAt > pause) await list();
      if (at - aliveAt > ALIVE_EVERY_MS) {
        aliveAt = at;
        const isAll = at - unseenAt > UNSEEN_EVERY_MS;
        if (isAll) unseenAt = at;
        for (const { item } of known.values())
          if (item.loop.supervisor !== null && (isAll || seen.includes(item.loop.id))) later(item.loop.id);
      }
      let isNew = false;
      for (const id of seen) {
        const one = known.get(id);
        if (one !== undefined && !isClosed) isNew = (await freshen(one)) || isNew;
      }
      forget();
      if (isNew) onChange();
    },
    close(): void {
      isClosed = true;
      stopWatching();
      if (gathering !== null) clearTimeout(gathering);
      for (const id of known.keys()) drop(id);
    },
  };
}

/** Its journal says all but what is around it. */
function isSame(one: ReadableLoop, other: ReadableLoop): boolean {
  return (
    one.journalBytes === other.journalBytes &&
    one.supervisor?.pid === other.supervisor?.pid &&
    (one.supervisor === null) === (other.supervisor === null) &&
    one.wanted === other.wanted &&
    one.messages.length === other.messages.length
  );
}

const NO_BARS: readonly Bar[] = [];
