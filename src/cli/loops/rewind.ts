/** `ralph rewind`: restores the work tree as an iteration left it, in a branch, or in place after a backup. */
import { dirname } from 'node:path';
import { EXIT_INTERRUPTED } from '../../core/ending.ts';
import { RalphError } from '../../core/error.ts';
import { type KeptTree, treeAfter } from '../../core/trees.ts';
import { lockFor } from '../../engine/loop.ts';
import { isReadable } from '../../engine/store/loop-store.ts';
import { isUnder } from '../../runners/sandbox/policy.ts';
import { backupCommit, rewindInPlace, rewindToBranch } from '../../scm/snapshots/rewind.ts';
import { snapshotTaker } from '../../scm/snapshots/take.ts';
import { loopLock } from '../../state/paths.ts';
import { shortNames } from '../../state/short-names.ts';
import { printable } from '../../stream/printable.ts';
import { confirm } from '../terminal/ask.ts';
import type { LoopsContext } from './context.ts';
import { iterationOf, type LoopSnapshots, leftOutLine, loopAndPoint, needed, snapshotsOf } from './snapshots.ts';

export interface RewindFlags {
  readonly branch?: string;
  readonly inPlace?: boolean;
  readonly yes?: boolean;
}

const EXIT_DECLINED = 1;

export async function rewindCommand(
  words: readonly string[],
  flags: RewindFlags,
  context: LoopsContext,
): Promise<number> {
  const { loop, point } = loopAndPoint(words);
  if (point === null) {
    const hint = 'For example: ralph rewind 2; 0 is the state before the first iteration.';
    throw new RalphError('ITERATION', 'which iteration? Give its number', { hint });
  }
  if (flags.branch !== undefined && flags.inPlace === true)
    throw new RalphError('REWIND', '--branch and --in-place exclude each other');
  const snapshots = await snapshotsOf(loop, context);
  const target = targetOf(snapshots, point);
  return flags.inPlace === true
    ? inPlace(snapshots, target, { ...context, isAsked: flags.yes !== true })
    : toBranch(snapshots, target, flags.branch ?? `ralph/${snapshots.short}-${point}`, context);
}

interface Target extends KeptTree {
  /** In words: `after iteration 2`. */
  readonly when: string;
}

function targetOf(snapshots: LoopSnapshots, point: string): Target {
  const { short, trees, store } = snapshots;
  if (point.startsWith('backup-')) {
    const commit = backupCommit(store, point);
    if (commit === null) throw new RalphError('NO_SNAPSHOT', `loop ${short} has no ${point}`);
    return { commit, when: `in ${point}` };
  }
  const iteration = iterationOf(point, 0);
  const when = iteration === 0 ? 'before the first iteration' : `after iteration ${iteration}`;
  return { ...needed(treeAfter(trees, iteration), snapshots), when };
}

async function toBranch(
  { id, store, env }: LoopSnapshots,
  target: Target,
  branch: string,
  { say }: LoopsContext,
): Promise<number> {
  const message = `The work tree ${target.when} of loop ${id}`;
  const made = await rewindToBranch(store, { commit: target.commit, branch, message }, env);
  say(`✓ The branch ${branch} contains the work tree ${target.when}, as one commit (${made.slice(0, 7)})`, 'green');
  sayLeftOut(target, say);
  say(`  git show ${branch}     what is different from HEAD`);
  say(`  git switch ${branch}   go there`);
  return 0;
}

async function inPlace(
  { id, short, folder, cwd, store, env }: LoopSnapshots,
  target: Target,
  context: LoopsContext & { readonly isAsked: boolean },
): Promise<number> {
  const { isAsked, environment, say } = context;
  await refuseWhileRunning(id, store.root, context);
  // The locks keep this loop, and others in its directory, from starting in the meantime.
  const exclusive = { what: `as ${short}`, lock: loopLock(folder) };
  const locks = [lockFor(environment, cwd, id)];
  try {
    locks.push(lockFor({ ...environment, exclusive }, cwd, id));
    const question = `Change the files in ${store.root} to what they were ${target.when}? (y/N): `;
    const answer = isAsked
      ? await confirm(printable(question), 'Add --yes; the current files are kept as a backup.')
      : 'yes';
    if (answer !== 'yes') {
      say('Nothing was changed.');
      return answer === 'no' ? EXIT_DECLINED : EXIT_INTERRUPTED;
    }
    // A loop may have started in another directory of the tree while the question was open.
    if (isAsked) await refuseWhileRunning(id, store.root, context);
    const take = snapshotTaker(store, { env, except: dirname(dirname(folder)) });
    const backup = await rewindInPlace(store, target.commit, { take, env });
    say(`✓ The files in ${store.root} are as they were ${target.when}; commits and branches are untouched`, 'green');
    sayLeftOut(target, say);
    say(`  ralph rewind ${short} ${backup.name} --in-place   restore the files from before this`);
    return 0;
  } finally {
    for (const lock of locks) lock.release();
  }
}

/** The whole work tree is changed, so neither this loop nor another one may be at work anywhere in it. */
async function refuseWhileRunning(id: string, root: string, { store }: LoopsContext): Promise<void> {
  const all = await store.list();
  const running = all.filter(isReadable).find((loop) => {
    if (loop.supervisor === null) return false;
    // Our own locks make the loop itself look supervised by this process.
    return loop.id === id ? loop.supervisor.pid !== process.pid : isUnder(loop.about.cwd ?? loop.cwd, root);
  });
  if (running === undefined) return;
  const { supervisor, about, cwd } = running;
  const short = shortNames(all.map((loop) => loop.id)).get(running.id) ?? running.id;
  const pid = supervisor?.pid ?? null;
  const where = running.id === id ? '' : ` in ${about.cwd ?? cwd}, which is part of ${root}`;
  const hint = `Stop it first: ralph stop ${short}; or leave out --in-place, and get a branch.`;
  throw new RalphError('RUNNING', `loop ${short} is running${pid === null ? '' : ` (pid ${pid})`}${where}`, { hint });
}

function sayLeftOut({ leftOut }: Target, say: LoopsContext['say']): void {
  const line = leftOutLine(leftOut);
  if (line !== null) say(`  When it was kept, ${line}`);
}
