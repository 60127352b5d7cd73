/**
 * Turns a loop of `ralph run` as a DBOS workflow. The body does nothing but fold and ask: whatever looks at the
 * world (files, processes, the clock) happens inside a step, whose result is the record. DBOS replays the body on
 * another worker with the recorded results, and so comes to the same state.
 */

import { DBOS } from '@dbos-inc/dbos-sdk';
import type { Action } from '../core/action.ts';
import type { Ending } from '../core/ending.ts';
import { RalphError } from '../core/error.ts';
import { firstRecord, type Recorded } from '../core/record.ts';
import { turns } from '../core/turn.ts';
import { upcastCreated } from '../core/upcast.ts';
import type { Perform } from '../engine/performers/perform.ts';
import { GRACE_MS, runMachine, runPerformers } from '../loops/run/loop.ts';
import type { RunRequest } from '../loops/run/rules.ts';
import { alwaysReady } from '../process/follow.ts';
import type { Host } from '../process/host.ts';
import { directRunner } from '../runners/direct.ts';
import type { Runner } from '../runners/runner.ts';
import { excludeFromGit } from '../scm/git.ts';
import { makePrivateFolder } from '../state/folders.ts';
import { loopFolder, type StateRoot } from '../state/paths.ts';
import { type LoopOrder, STEP, WAKE_TOPIC } from './protocol.ts';

export interface TurnOptions {
  readonly host: Host;
  readonly root: StateRoot;
  /** End what is being performed, and begin nothing more. */
  readonly stop: AbortSignal;
}

export interface Turner {
  turn(order: LoopOrder): Promise<Ending>;
  /** Resolves when nothing is being performed and everything performed is recorded. */
  settled(): Promise<void>;
}

/** What a step returns and DBOS keeps: a record without what the fold knows anyway, or why the loop cannot go on. */
type Memo =
  | { readonly kind: 'record'; readonly record: Pick<Recorded, 'at' | 'attempt' | 'result'> }
  | { readonly kind: 'refused'; readonly reason: string; readonly hint?: string };

export function loopTurner({ host, root, stop }: TurnOptions): Turner {
  // One for the whole worker: a run is started in one step and awaited in another. Agents die with this process.
  const runner = directRunner({ host, grace: GRACE_MS, tethered: true });
  const steps = new Set<Promise<Memo>>();

  const recorded = async (perform: Perform, action: Action): Promise<Memo> => {
    // The worker that takes the loop over does this action; nothing more is begun here.
    if (stop.aborted) await forever();
    const step = DBOS.runStep(() => memoOf(perform, action, stop), { name: STEP });
    steps.add(step);
    return step.finally(() => steps.delete(step));
  };

  return {
    async turn({ created, at }) {
      const perform = performersOf({ created, at }, { host, root, runner });
      // DBOS keeps the records: they are what its steps give.
      const turning = turns(runMachine, runMachine.begin(firstRecord(upcastCreated(created), at)), () => undefined);
      for (let turn = turning.next(); ; ) {
        if (turn.done === true) return turn.value.ending;
        const { action } = turn.value;
        if (action.do === 'end') return action.ending;
        const memo = await recorded(perform, await afterWaiting(action));
        if (memo.kind === 'refused') {
          const { reason, hint } = memo;
          return { kind: 'configuration', reason, ...(hint === undefined ? {} : { hint }) };
        }
        turn = turning.next(memo.record);
      }
    },
    async settled() {
      await Promise.allSettled(steps);
    },
  };
}

/** A durable wait that a message can end, which `DBOS.sleep` is not; what is left of the action takes no time. */
async function afterWaiting(action: Action): Promise<Action> {
  if (action.do !== 'wait' || typeof action.until !== 'number') return action;
  await DBOS.recv(WAKE_TOPIC, { deadlineEpochMS: action.until });
  return { ...action, until: 'now' };
}

/** Inside a step: does the action, and brings the time into the record. */
async function memoOf(perform: Perform, action: Action, stop: AbortSignal): Promise<Memo> {
  const cancelled = DBOS.stepStatus?.cancelSignal;
  const signal = cancelled === undefined ? stop : AbortSignal.any([cancelled, stop]);
  try {
    const { result, attempt } = await perform(action, { signal, progress: unwatched, ready: alwaysReady });
    return { kind: 'record', record: { at: Date.now(), attempt, result } };
  } catch (error) {
    // A mistake in the settings; thrown on, it would be read back from the database as just any error.
    if (!(error instanceof RalphError)) throw error;
    const { message: reason, advice } = error;
    return { kind: 'refused', reason, ...(advice.hint === undefined ? {} : { hint: advice.hint }) };
  }
}

function unwatched(): void {
  // The fleet has no eyes yet; transcripts are in the runs' folders.
}

function forever(): Promise<never> {
  return new Promise(() => {
    // The process ends first.
  });
}

function performersOf({ created }: LoopOrder, on: Omit<TurnOptions, 'stop'> & { runner: Runner }): Perform {
  const { id, cwd } = created;
  const folder = loopFolder(on.root, id);
  // Written by this room's own submitter.
  const request = created.options as RunRequest;
  const perform = runPerformers({ id, cwd, folder, request }, on.host, on.runner);
  return (action, at) => {
    if (action.do === 'read-inputs') {
      makePrivateFolder(folder);
      excludeFromGit(cwd, '**/.ralph/*.log');
    }
    return perform(action, at);
  };
}
