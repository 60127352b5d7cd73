/**
 * Keeps the work tree as it was before a supervisor's first run, and at the end of every run that worked on it. The
 * machine has no phase for this: a snapshot is recorded with its run, and taking it again after a crash is harmless.
 */
import { dirname } from 'node:path';
import { type RunKey, runName } from '../core/action.ts';
import { defined } from '../core/defined.ts';
import { PIVOT } from '../core/progress/progress.ts';
import type { TreeRecord } from '../core/record.ts';
import { REVIEW } from '../core/review/review.ts';
import { reasonOf } from '../core/system-fault.ts';
import type { Duration } from '../core/time.ts';
import { realPath } from '../process/files.ts';
import { pathOutsideOf } from '../runners/sandbox/own-environment.ts';
import { tookLonger } from '../scm/git.ts';
import { commitAt, nameCommit, openStore, type SnapshotStore } from '../scm/snapshots/store.ts';
import { SNAPSHOT_PATIENCE, snapshotTaker, type TakeSnapshot } from '../scm/snapshots/take.ts';
import { commitIn } from '../state/git-place.ts';
import type { Perform } from './performers/perform.ts';

export interface SnapshotPlace {
  /** Where the agent works. */
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly tell?: ((line: string) => void) | undefined;
  /** How long a snapshot may take, and how long after one that took longer. */
  readonly patience?: { readonly first: Duration; readonly again: Duration };
}

/** Whatever delayed git may be gone by the next snapshot; if not, the loop should not be delayed for as long again. */
const PATIENCE = { first: SNAPSHOT_PATIENCE, again: 10_000 };

/** Runs that work, and runs that must not, to see whether they did. */
const KEPT_PURPOSES: ReadonlySet<string> = new Set(['work', PIVOT, REVIEW]);

export function withSnapshots(perform: Perform, loop: string, place: SnapshotPlace): Perform {
  const { before, after } = recorderOf(loop, place);
  return async (action, at) => {
    if (action.do !== 'start' && action.do !== 'await') return perform(action, at);
    if (!KEPT_PURPOSES.has(action.run.purpose)) return perform(action, at);
    const tree = action.do === 'start' ? await before(action.run, at.signal) : null;
    const { result, ...performed } = await perform(action, at);
    if (result.kind === 'started') return { ...performed, result: withTree(result, tree) };
    if (result.kind === 'ran') return { ...performed, result: withTree(result, await after(action.run, at.signal)) };
    return { ...performed, result };
  };
}

/** Takes a snapshot of the work tree as it is now, outside any run. Null if there is no repository. */
export function keepWorkTree(loop: string, place: SnapshotPlace, cancel: AbortSignal): Promise<TreeRecord | null> {
  return recorderOf(loop, place).now(cancel);
}

function withTree<Of extends object>(result: Of, tree: TreeRecord | null): Of {
  return tree === null ? result : { ...result, tree };
}

/** `before` and `after` return null if there is nothing to record: no repository, or the last run left this tree. */
function recorderOf(loop: string, { cwd, env, tell, patience = PATIENCE }: SnapshotPlace) {
  let recording: { readonly store: SnapshotStore; readonly take: TakeSnapshot } | null = null;
  let real: string | null = null;
  let hasBegun = false;
  let hasTold = false;
  let allowed = patience.first;
  const open = (): typeof recording => {
    real ??= realPath(cwd);
    const store = openStore(loop, real);
    if (store === null) return null;
    // The agent could have put a `git` of its own into the work tree. The state of the loops themselves is not kept.
    const own = { ...env, PATH: pathOutsideOf(store.root, env) };
    return { store, take: snapshotTaker(store, { env: own, except: dirname(dirname(loop)) }) };
  };
  const keep = async (ref: string, cancel: AbortSignal, isMadeOnce: boolean): Promise<TreeRecord | null> => {
    let limit: AbortSignal | null = null;
    try {
      recording ??= open();
      if (recording === null) return null;
      limit = AbortSignal.timeout(allowed);
      const made = isMadeOnce ? commitAt(recording.store, ref) : null;
      if (made !== null) return { commit: made };
      const taken = await recording.take(ref, AbortSignal.any([limit, cancel]));
      // A snapshot that equals the last one has no name yet.
      if (isMadeOnce && commitAt(recording.store, ref) === null) nameCommit(recording.store, ref, taken.commit);
      allowed = patience.first;
      return { ...taken, ...defined({ head: commitIn(cwd) ?? undefined }) };
    } catch (error) {
      // Whatever it is, the loop continues without the snapshot.
      if (cancel.aborted) return { commit: null, reason: 'the loop was stopped before it was kept' };
      const isLate = limit?.aborted === true;
      const reason = isLate ? tookLonger(allowed) : reasonOf(error);
      if (isLate) allowed = patience.again;
      if (!hasTold) tell?.(`The work tree is not kept for "ralph diff": ${reason}`);
      hasTold = true;
      return { commit: null, reason };
    }
  };
  return {
    now: (cancel: AbortSignal) => keep('refs/found', cancel, false),
    async before(run: RunKey, cancel: AbortSignal): Promise<TreeRecord | null> {
      const isWork = run.purpose === 'work';
      if (hasBegun && isWork) return null;
      hasBegun ||= isWork;
      // A supervisor that died may have started this agent already: then the snapshot that it took is the tree before.
      return keep(`refs/before/${runName(run)}`, cancel, true);
    },
    async after({ iteration, purpose }: RunKey, cancel: AbortSignal): Promise<TreeRecord | null> {
      hasBegun ||= purpose === 'work';
      return keep(purpose === 'work' ? `refs/iterations/${iteration}` : `refs/${purpose}/${iteration}`, cancel, false);
    },
  };
}
