/** Removes the folders of loops that ended, or were given up, long ago. What runs or can be resumed is kept. */
import { existsSync, rmSync } from 'node:fs';
import { errnoOf } from '../core/error.ts';
import type { Instant } from '../core/time.ts';
import { sizeOfFolder } from '../state/folders.ts';
import { isLocked, tryLock } from '../state/lock.ts';
import { loopFolder, loopLock, type StateRoot, workTreeLock } from '../state/paths.ts';
import { type ListedLoop, listLoops } from '../state/registry.ts';

export interface LoopGarbageRules {
  readonly root: StateRoot;
  /** Where nothing has happened since is old. */
  readonly before: Instant;
  readonly isDryRun: boolean;
  /** Keeps loops that did not end as done. */
  readonly keepFailed: boolean;
  /** Only these; all of them unless given. */
  readonly isMeant?: (loop: ListedLoop) => boolean;
  /** Does anything else lead to this loop, such as a worker of a swarm? */
  readonly isPointedAt: (loop: ListedLoop) => boolean;
  readonly say: (line: string) => Promise<void>;
  readonly warn: (line: string) => void;
}

/** Loops of these kinds are alone in their directory: a newer one has taken the place of one that was cut off. */
const ONE_PER_DIRECTORY = ['run', 'stories', 'task', 'ralph-loop'];
/** A job is never resumed, and its request is never asked for. */
const FORGOTTEN = ['job'];

export async function collectLoops(rules: LoopGarbageRules): Promise<{ loops: number; bytes: number }> {
  const { root, isDryRun, say } = rules;
  const all = listLoops(root);
  const sum = { loops: 0, bytes: 0 };
  for (const loop of all) {
    if (!isCollectable(loop, all, rules)) continue;
    const bytes = sizeOfFolder(loopFolder(root, loop.id));
    if (!isDryRun && !(await isRemoved(loop, rules))) continue;
    await say(`${isDryRun ? '[dry-run] would delete' : 'deleting'} loop ${loop.id} (${loop.loopKind} in ${loop.cwd})`);
    sum.loops++;
    sum.bytes += bytes;
  }
  return sum;
}

function isCollectable(loop: ListedLoop, all: readonly ListedLoop[], rules: LoopGarbageRules): boolean {
  const { before, keepFailed, isMeant, isPointedAt } = rules;
  if (loop.updatedAt >= before || isMeant?.(loop) === false) return false;
  if (keepFailed && loop.ending?.kind !== 'done') return false;
  if (isPointedAt(loop) || locksOf(loop, rules).some(isLocked)) return false;
  if (all.some((other) => isOfSameSession(other, loop) && (other.ending === null || other.updatedAt >= before)))
    return false;
  if (!existsSync(loop.cwd) || FORGOTTEN.includes(loop.loopKind)) return true;
  const isSuccessor = (other: ListedLoop): boolean =>
    other.loopKind === loop.loopKind && other.cwd === loop.cwd && !isOfSameSession(other, loop);
  if (!all.slice(all.indexOf(loop) + 1).some(isSuccessor)) return false;
  return loop.ending !== null || ONE_PER_DIRECTORY.includes(loop.loopKind);
}

/** Sessions number their loops: they go together, or the number of an earlier one would be given again. */
function isOfSameSession(other: ListedLoop, loop: ListedLoop): boolean {
  const sessionOf = ({ id }: ListedLoop): string => id.replace(/\.\d+$/, '');
  return loop.loopKind === 'session' && other.loopKind === loop.loopKind && sessionOf(other) === sessionOf(loop);
}

/** Its supervisor holds one of them. */
function locksOf({ id, cwd }: ListedLoop, { root }: LoopGarbageRules): string[] {
  return [workTreeLock(root, cwd), loopLock(loopFolder(root, id))];
}

/** Under the locks, so that it is not resumed meanwhile. */
async function isRemoved(loop: ListedLoop, rules: LoopGarbageRules): Promise<boolean> {
  const folder = loopFolder(rules.root, loop.id);
  const locks = [];
  try {
    for (const path of locksOf(loop, rules)) {
      const attempt = tryLock(path, 'clearing away old loops');
      if (!attempt.got) return false;
      locks.push(attempt.lock);
    }
    const { forgetOsSandbox } = await import('../runners/os-sandbox.ts');
    forgetOsSandbox(folder);
    rmSync(folder, { recursive: true, force: true });
    return true;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    rules.warn(`warning: cannot delete ${folder}: ${errnoOf(error)}`);
    return false;
  } finally {
    for (const lock of locks) lock.release();
  }
}
