/** Removes the folders of loops that nothing needs any more: old ones, and the oldest if all take too much space. */
import { existsSync, rmSync } from 'node:fs';
import { errnoOf } from '../../core/error.ts';
import type { Instant } from '../../core/time.ts';
import { sizeOfFolder } from '../../state/folders.ts';
import { isLocked, tryLock } from '../../state/lock.ts';
import { loopFolder, loopLock, type StateRoot, workTreeLock } from '../../state/paths.ts';
import { isUnfinished, type ListedLoop, listLoops } from '../../state/registry.ts';

export interface Retention {
  readonly root: StateRoot;
  /** Loops in which nothing has happened since then are old. */
  readonly before: Instant;
  /** How much space all loops may take together; null for no limit. */
  readonly room: { readonly bytes: number; readonly now: Instant } | null;
  readonly isDryRun: boolean;
  /** Keeps loops that did not end as done. */
  readonly keepFailed?: boolean;
  /** Only these loops; all of them by default. */
  readonly isMeant?: (loop: ListedLoop) => boolean;
  /** Does anything else refer to this loop, such as a worker of a swarm? */
  readonly isPointedAt: (loop: ListedLoop) => boolean;
  /** Called for each loop that is removed, or would be. */
  readonly removed: (loop: ListedLoop, bytes: number) => unknown;
  readonly warn: (line: string) => void;
  /** Called before each look at a folder: is there still time for it? */
  readonly hasTime?: () => boolean;
}

/** `left`: the bytes that remain; 0 if there was no limit on the size. */
export interface Collected {
  readonly loops: number;
  readonly bytes: number;
  readonly left: number;
}

export async function collectLoops(retention: Retention): Promise<Collected> {
  const { root, before, room, isDryRun, removed, hasTime = () => true } = retention;
  const all = listLoops(root);
  const sizes = room === null ? new Map<string, number>() : sizesOf(all, retention);
  const sizeOf = ({ id }: ListedLoop): number => sizes.get(id) ?? sizeOfFolder(loopFolder(root, id));
  let left = [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
  const sum = { loops: 0, bytes: 0 };
  const gone = new Set<ListedLoop>();
  // Oldest first: each removal leaves more room for the rest.
  for (const loop of all.toSorted((a, b) => a.updatedAt - b.updatedAt)) {
    const isTooMuch = room !== null && left > room.bytes && loop.updatedAt < room.now - JUST_ENDED_MS;
    if (!hasTime() || (loop.updatedAt >= before && !isTooMuch)) continue;
    if (!mayGo(loop, all, { ...retention, isGoing: (other) => gone.has(other) || other.updatedAt < before })) continue;
    const bytes = sizeOf(loop);
    if (!isDryRun && !(await removeLoop(loop, retention))) continue;
    await removed(loop, bytes);
    gone.add(loop);
    sum.loops++;
    sum.bytes += bytes;
    left -= bytes;
  }
  return { ...sum, left: Math.max(0, left) };
}

/** To make room, no loop is removed that has only just ended: its user may still be reading the closing lines. */
const JUST_ENDED_MS = 60 * 60_000;

function sizesOf(all: readonly ListedLoop[], { root, hasTime = () => true }: Retention): Map<string, number> {
  const sizes = new Map<string, number>();
  for (const { id } of all) if (hasTime()) sizes.set(id, sizeOfFolder(loopFolder(root, id)));
  return sizes;
}

/** Of these kinds, only the newest loop of a directory is ever continued, or read by the next start. */
const ONE_PER_DIRECTORY = ['stories', 'task', 'ralph-loop'];
/** A job is never resumed, and nothing reads its request again. */
const FORGOTTEN = ['job'];

type Asked = Retention & { isGoing(loop: ListedLoop): boolean };

/** The rule, whatever a loop's age and size: no supervisor drives it, nothing refers to it or could continue it. */
function mayGo(loop: ListedLoop, all: readonly ListedLoop[], asked: Asked): boolean {
  const { keepFailed = false, isMeant, isPointedAt, isGoing } = asked;
  if (isMeant?.(loop) === false || (keepFailed && loop.ending?.kind !== 'done')) return false;
  if (isPointedAt(loop) || locksOf(loop, asked).some(isLocked)) return false;
  if (all.some((other) => isOfSameSession(other, loop) && (other.ending === null || !isGoing(other)))) return false;
  if (!existsSync(loop.cwd) || FORGOTTEN.includes(loop.loopKind)) return true;
  if (ONE_PER_DIRECTORY.includes(loop.loopKind)) return hasSuccessor(loop, all);
  // A session's loop that has ended is not continued: its session begins another one.
  return loop.loopKind === 'session' ? loop.ending !== null : !isUnfinished(loop);
}

function hasSuccessor(loop: ListedLoop, all: readonly ListedLoop[]): boolean {
  const later = all.slice(all.indexOf(loop) + 1);
  return later.some(({ loopKind, cwd }) => loopKind === loop.loopKind && cwd === loop.cwd);
}

/** Sessions number their loops: these are removed together, or an earlier number would be given out again. */
function isOfSameSession(other: ListedLoop, loop: ListedLoop): boolean {
  const sessionOf = ({ id }: ListedLoop): string => id.replace(/\.\d+$/, '');
  return (
    loop.loopKind === 'session' &&
    other !== loop &&
    other.loopKind === loop.loopKind &&
    sessionOf(other) === sessionOf(loop)
  );
}

/** The loop's supervisor holds one of them. */
function locksOf({ id, cwd }: Pick<ListedLoop, 'id' | 'cwd'>, { root }: Pick<Retention, 'root'>): string[] {
  return [workTreeLock(root, cwd), loopLock(loopFolder(root, id))];
}

/** Under its locks, so that nothing resumes it. False if a lock is held, or the folder cannot be deleted. */
export async function removeLoop(
  loop: Pick<ListedLoop, 'id' | 'cwd'>,
  retention: Pick<Retention, 'root' | 'warn'>,
): Promise<boolean> {
  const folder = loopFolder(retention.root, loop.id);
  const locks = [];
  try {
    for (const path of locksOf(loop, retention)) {
      const attempt = tryLock(path, 'clearing away old loops');
      if (!attempt.got) return false;
      locks.push(attempt.lock);
    }
    const { forgetOsSandbox } = await import('../../runners/os-sandbox.ts');
    forgetOsSandbox(folder);
    rmSync(folder, { recursive: true, force: true });
    return true;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    retention.warn(`warning: cannot delete ${folder}: ${errnoOf(error)}`);
    return false;
  } finally {
    for (const lock of locks) lock.release();
  }
}
