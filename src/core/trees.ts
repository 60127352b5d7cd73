/** Finds the snapshots of the work tree in a loop's records, and which two of them show what was changed. Pure. */
import type { Recorded, TreeRecord } from './record.ts';

export interface LoopTrees {
  /** What each iteration left after its last run; 0 is what the loop began with. */
  readonly after: ReadonlyMap<number, TreeRecord>;
  /** What an iteration began with, if that was recorded separately: a person may have worked there in the meantime. */
  readonly before: ReadonlyMap<number, TreeRecord>;
  /** The last iteration whose agent has ended; 0 if none. */
  readonly last: number;
}

export type KeptTree = Extract<TreeRecord, { readonly commit: string }>;
/** A string says why there is none. */
export type FoundTree = KeptTree | string;

export function treesOf(records: readonly Recorded[]): LoopTrees {
  const before = new Map<number, TreeRecord>();
  const after = new Map<number, TreeRecord>();
  let last = 0;
  for (const { key, result } of records) {
    const [, number] = /^(\d+)\/work\//.exec(key) ?? [];
    const iteration = Number(number);
    if (number === undefined) continue;
    if (result.kind === 'started' && result.tree !== undefined) {
      if (after.size === 0 && before.size === 0) after.set(iteration - 1, result.tree);
      // Only the first try counts: a second one may begin with what the first one left.
      if (!before.has(iteration)) before.set(iteration, result.tree);
    }
    if (result.kind !== 'ran') continue;
    last = iteration;
    if (result.tree !== undefined) after.set(iteration, result.tree);
  }
  return { after, before, last };
}

export function treeAfter({ after, last }: LoopTrees, iteration: number): FoundTree {
  const tree = after.get(iteration);
  if (isKept(tree)) return tree;
  const when = iteration === 0 ? 'before its first iteration' : `after iteration ${iteration}`;
  if (tree !== undefined) return `the work tree ${when} was not kept: ${tree.reason}`;
  if (last === 0) return 'none of its iterations has ended yet';
  return iteration > last ? `its last iteration that has ended is ${last}` : `the work tree ${when} was not kept`;
}

/** What an iteration has changed. */
export function changesOf(trees: LoopTrees, iteration: number): { readonly from: FoundTree; readonly to: FoundTree } {
  const before = trees.before.get(iteration);
  const to = treeAfter(trees, iteration);
  return { from: isKept(before) ? before : treeAfter(trees, iteration - 1), to };
}

/** What the loop has changed: from the first tree that was kept to the last. */
export function allChanges(trees: LoopTrees): { readonly from: FoundTree; readonly to: FoundTree } {
  const kept = [...trees.after].filter(([, tree]) => isKept(tree)).map(([iteration]) => iteration);
  const to = treeAfter(trees, Math.max(1, ...kept));
  return { from: treeAfter(trees, Math.min(trees.last, ...kept)), to };
}

const isKept = (tree: TreeRecord | undefined): tree is KeptTree => tree !== undefined && tree.commit !== null;
