/**
 * Does a loop make progress? Compares what its iterations left behind: a loop is stuck when they produce nothing new.
 * New work that fails in another way is progress, and resets the count. Pure.
 */
import type { Ran, TreeRecord } from '../record.ts';
import type { IterationNote } from './notes.ts';

export interface Progress {
  readonly notes: readonly IterationNote[];
  /** Only iterations after this one count: a person has intervened since, or there was a pivot. */
  readonly from: number;
  /** The work tree with which those began; null if unknown. */
  readonly before: string | null;
  /** Why the loop is stuck, in words; null while it makes progress. */
  readonly stuck: string | null;
  /** The last pivot, until there is progress; null for none. */
  readonly pivot: Pivot | null;
}

/** A run that only looks: it is asked why the work fails, and for a different plan. */
export interface Pivot {
  /** Why the loop was stuck. */
  readonly reason: string;
  /** Null if the pivot gave none, or is not over. */
  readonly plan: string | null;
  /** The work tree at its start; null if unknown. */
  readonly before: string | null;
  /** It changed files although it was told not to. */
  readonly hasChanged: boolean;
}

export const NO_PROGRESS: Progress = { notes: [], from: 0, before: null, stuck: null, pivot: null };

/** The purpose of a pivot's run. */
export const PIVOT = 'pivot';

/** What a loop does when it is stuck: say so, ask once for another plan and end if that does not help, or end. */
export type OnStuck = 'warn' | 'pivot' | 'end';

const SAME_TREE = 3;
const SAME_FAILURE = 5;

/** For a supervisor's first run: the work tree may differ from what the last run left. */
export function startedWith(progress: Progress, iteration: number, tree: TreeRecord): Progress {
  const before = treeOf(tree);
  const last = progress.notes.at(-1)?.tree ?? progress.before;
  return before === null || before === last ? progress : { ...progress, from: iteration - 1, before };
}

/** After a standstill: a person may have removed what stood in the way. */
export function begunAgain({ notes }: Progress): Progress {
  const last = notes.at(-1);
  return { ...NO_PROGRESS, notes, from: last?.iteration ?? 0, before: last?.tree ?? null };
}

/** Judges an iteration at its end. One whose agent failed says nothing about the work. */
export function judgedAfter(progress: Progress, iteration: number): Progress {
  const last = progress.notes.at(-1);
  if (last?.iteration !== iteration || last.failure !== null) return progress;
  if (isProgress(progress.notes)) return { ...progress, stuck: null, pivot: null };
  return { ...progress, stuck: whyStuck(progress) };
}

/** There is a new work tree, and no check fails as it did before. */
function isProgress(notes: readonly IterationNote[]): boolean {
  const worked = notes.filter(({ failure }) => failure === null);
  const last = worked.at(-1);
  const earlier = worked.slice(0, -1);
  const before = earlier.at(-1);
  if (last === undefined || before === undefined) return false;
  const isChanged = failureOf(before) !== failureOf(last);
  // Without a repository, only what fails can show progress.
  if (last.tree === null) return isChanged;
  return earlier.every(({ tree }) => tree !== last.tree) && (isChanged || failureOf(last) === '');
}

function whyStuck({ notes, from, before }: Progress): string | null {
  const worked = notes.filter(({ iteration, failure }) => iteration > from && failure === null);
  const seen = new Set(before === null ? [] : [before]);
  let last = { tree: before, head: null as string | null };
  let [without, still] = [0, 0];
  for (const { tree, head } of worked) {
    const isSame = tree !== null && tree === last.tree && (head === last.head || last.head === null);
    const isOld = isSame || (tree !== null && tree !== last.tree && seen.has(tree));
    without = isOld ? without + 1 : 0;
    still = isSame ? still + 1 : 0;
    if (tree !== null) seen.add(tree);
    last = { tree, head };
  }
  if (still >= SAME_TREE) return `the last ${still} iterations changed nothing`;
  if (without >= SAME_TREE) return `the last ${without} iterations undid and redid the same changes`;
  const failures = worked.map(failureOf);
  const newest = failures.at(-1) ?? '';
  const same = failures.length - 1 - failures.findLastIndex((failure) => failure !== newest);
  if (newest === '' || same < SAME_FAILURE) return null;
  const red = worked.at(-1)?.red.map(({ command, how }) => `${command} (${how})`) ?? [];
  return `the last ${same} iterations failed with the same output: ${red.join(', ')}`;
}

/** Empty if nothing failed. */
const failureOf = ({ red }: IterationNote): string =>
  red.map(({ command, how, fingerprint }) => [command, how, fingerprint].join('\n')).join('\n');

export function pivotBegun(progress: Progress): Progress {
  const reason = progress.stuck ?? '';
  return { ...progress, pivot: { reason, plan: null, before: null, hasChanged: false } };
}

export function pivotStarted(progress: Progress, tree: TreeRecord | undefined): Progress {
  const { pivot } = progress;
  return pivot === null || tree === undefined ? progress : { ...progress, pivot: { ...pivot, before: treeOf(tree) } };
}

/** A pivot that a fault kept from its answer does not count: there may be another. */
export function pivotEnded(progress: Progress, iteration: number, { outcome, said, account, tree }: Ran): Progress {
  const after = tree === undefined ? null : treeOf(tree);
  const begun = { ...progress, from: iteration, before: after ?? progress.notes.at(-1)?.tree ?? null, stuck: null };
  const { pivot } = progress;
  if (pivot === null) return begun;
  const hasChanged = after !== null && pivot.before !== null && after !== pivot.before;
  if (outcome.kind === 'worked') {
    const plan = shortened(said.tag ?? (account?.text || (said.last ?? said.firstLine)) ?? '');
    return { ...begun, pivot: { ...pivot, plan: plan === '' ? null : plan, hasChanged } };
  }
  return { ...begun, pivot: outcome.kind === 'failed' ? { ...pivot, hasChanged } : null };
}

const LONGEST_PLAN = 4000;

const shortened = (plan: string): string => [...plan.trim()].slice(0, LONGEST_PLAN).join('');

function treeOf(record: TreeRecord): string | null {
  return record.commit === null ? null : (record.tree ?? null);
}
