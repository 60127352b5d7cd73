/** Finds the snapshots of the loop that a command names, and says why one is missing. */

import { plural } from '../../core/budget/usage.ts';
import { RalphError } from '../../core/error.ts';
import type { LeftOut } from '../../core/record.ts';
import { type FoundTree, type KeptTree, type LoopTrees, treesOf } from '../../core/trees.ts';
import type { ReadableLoop } from '../../engine/store/loop-store.ts';
import { pathOutsideOf } from '../../runners/sandbox/own-environment.ts';
import { findStore, type SnapshotStore } from '../../scm/snapshots/store.ts';
import { findGit } from '../../state/git-place.ts';
import { loopFolder } from '../../state/paths.ts';
import { foundLoop, type LoopsContext } from './context.ts';

export interface LoopSnapshots {
  readonly id: string;
  /** Its name in lists. */
  readonly short: string;
  readonly folder: string;
  /** Where the loop was started. */
  readonly cwd: string;
  readonly trees: LoopTrees;
  readonly store: SnapshotStore;
  /** The environment for git, whose PATH has no folder in which an agent could have put its own git. */
  readonly env: NodeJS.ProcessEnv;
}

/** Reads `[loop] [N]`. A single word is an iteration if it is a short number or a backup, otherwise a loop. */
export function loopAndPoint(words: readonly string[]): {
  readonly loop: string | null;
  readonly point: string | null;
} {
  const [first = null, second = null] = words;
  if (second !== null || first === null) return { loop: first, point: second };
  return isPoint(first) ? { loop: null, point: first } : { loop: first, point: null };
}

const isPoint = (word: string): boolean => /^(?:\d{1,3}|backup-\d+)$/.test(word);

/** `lowest`: 0 if the state before the first iteration is allowed, too. */
export function iterationOf(point: string, lowest: 0 | 1): number {
  const iteration = /^\d{1,9}$/.test(point) ? Number(point) : -1;
  if (iteration >= lowest) return iteration;
  const before = lowest === 0 ? '; 0 is the state before the first one' : '';
  const hint = `Iterations are counted from 1${before}.`;
  throw new RalphError('ITERATION', `"${point}" is not the number of an iteration`, { hint });
}

export async function snapshotsOf(name: string | null, context: LoopsContext): Promise<LoopSnapshots> {
  const { root, variables } = context.environment;
  const { loop, short } = await foundLoop(context, { name });
  const { id, cwd } = loop;
  const trees = treesOf(await context.store.records(id));
  const folder = loopFolder(root, id);
  const store = findStore(folder);
  if (store === null) throw new RalphError('NO_SNAPSHOTS', `loop ${short} has no snapshots: ${whyNone(loop, trees)}`);
  const env = { ...variables, PATH: pathOutsideOf(store.root, variables) };
  return { id, short, folder, cwd, trees, store, env };
}

function whyNone({ loopKind, about, cwd: home }: ReadableLoop, { after, last }: LoopTrees): string {
  const [tree] = after.values();
  if (tree?.commit === null) return tree.reason;
  if (loopKind === 'session') return 'none are kept for a loop inside a session';
  const cwd = about.cwd ?? home;
  if (findGit(cwd) === null) return `${cwd} is not in a git work tree`;
  return last === 0 ? 'none of its iterations has ended yet' : 'it was run by a release of ralph that kept none';
}

/** Returns the tree; if it is missing, throws an error that says why. */
export function needed(tree: FoundTree, { short }: LoopSnapshots): KeptTree {
  if (typeof tree !== 'string') return tree;
  throw new RalphError('NO_SNAPSHOT', `loop ${short}: ${tree}`);
}

/** The files that were left out, in a line; null for none. */
export function leftOutLine(leftOut: LeftOut | undefined): string | null {
  if (leftOut === undefined) return null;
  const { count, files } = leftOut;
  const named = files.map(({ path, why }) => `${path} (${why})`);
  const more = count > files.length ? ` and ${count - files.length} more` : '';
  return `${plural(count, 'file')} left out: ${named.join(', ')}${more}`;
}
