/** Takes loops from the queue in PostgreSQL and drives them. There is one DBOS per process, and so one worker. */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { DBOS } from '@dbos-inc/dbos-sdk';
import type { Environment } from '../config/environment.ts';
import type { Action } from '../core/action.ts';
import type { Ending } from '../core/ending.ts';
import { RalphError } from '../core/error.ts';
import { turns } from '../core/machine/turn.ts';
import { firstRecord, type Recorded, upcastCreated } from '../core/record.ts';
import type { LoopState } from '../core/state.ts';
import type { Duration } from '../core/time.ts';
import type { Perform } from '../engine/performers/perform.ts';
import { GRACE_MS, runPerformers } from '../loops/run/loop.ts';
import { runMachine } from '../loops/run/rules.ts';
import type { RunData } from '../loops/run/state.ts';
import { alwaysReady } from '../process/follow.ts';
import { type Host, thisHost } from '../process/host.ts';
import { directRunner } from '../runners/direct.ts';
import type { Runner } from '../runners/runner.ts';
import { excludeFromGit, LOGS } from '../scm/git.ts';
import { makePrivateFolder } from '../state/folders.ts';
import { loopFolder, type StateRoot } from '../state/paths.ts';
import { dbosLog, oneAtATime, openDatabase } from './database.ts';
import { keepWatch, membersIn, type Watch } from './members.ts';
import { APPLICATION, type LoopOrder, PROTOCOL_VERSION, QUEUE, STEP, WAKE_TOPIC, WORKFLOW } from './protocol.ts';

export interface WorkerOptions extends Watch {
  readonly database: string;
  readonly environment: Environment;
  readonly slots: number;
  /** How often the queue is polled. */
  readonly poll: Duration;
}

/** By default, DBOS gives up a workflow after 100 takeovers; a loop can outlive many more workers than that. */
const MOST_TAKEOVERS = 1_000_000;

/** Resolves once it was told to stop and has ended its work. The process should then end; other workers continue. */
export async function runWorker(options: WorkerOptions): Promise<void> {
  const { database, environment, slots, lease, poll, say, stop } = options;
  const id = `${hostname()}-${process.pid}-${randomBytes(4).toString('hex')}`;
  const host = thisHost(environment.variables, environment.containment);
  const pool = await openDatabase(database, lease);
  const members = membersIn(pool, id);
  const loops = turnLoops(host, environment.root, stop);
  DBOS.setConfig({
    name: APPLICATION,
    systemDatabaseUrl: database,
    executorID: id,
    applicationVersion: PROTOCOL_VERSION,
    listenQueues: [QUEUE],
    // A worker that freezes inside a transaction must not block those who take over its loops.
    systemDatabaseIdleTransactionTimeoutMs: lease,
    logger: dbosLog(say),
  });
  DBOS.registerWorkflow(loops.turn, { name: WORKFLOW, maxRecoveryAttempts: MOST_TAKEOVERS });

  await oneAtATime(pool, async () => {
    await members.setUp();
    // Before the launch, which may already take loops: a worker that holds loops without a row counts as dead.
    await members.join();
    await DBOS.launch();
  });
  const queue = { workerConcurrency: slots, minPollingIntervalMs: poll, onConflict: 'always_update' } as const;
  await DBOS.registerQueue(QUEUE, queue);
  say(`worker ${id} is up`);

  // Rejects if this worker was taken for dead: then the process ends at once, as if it were.
  await keepWatch(members, options);
  await loops.stepsDone();
  // Without its row, others take over whatever this worker holds, including what DBOS takes from the queue until the
  // end.
  await members.forget(id);
  await pool.end();
}

/** What a step returns and DBOS stores: a record without what the fold knows anyway, or why the loop cannot go on. */
type Memo =
  | { readonly kind: 'record'; readonly record: Pick<Recorded, 'at' | 'attempt' | 'result'> }
  | { readonly kind: 'refused'; readonly reason: string; readonly hint?: string };

/**
 * The body of the DBOS workflow only folds records and asks for actions: whatever looks at the world (files, processes,
 * the clock) happens inside a step, whose result is the record. DBOS replays the body on another worker with the
 * recorded results, which gives the same state. `stop`: end the current action, and begin nothing more.
 */
function turnLoops(host: Host, root: StateRoot, stop: AbortSignal) {
  // One for the whole worker: a run is started in one step and awaited in another. Agents die with this process.
  const runner = directRunner({ host, grace: GRACE_MS, tethered: true });
  const steps = new Set<Promise<Memo>>();

  const recorded = async (perform: Perform, action: Action): Promise<Memo> => {
    // The worker that takes over the loop performs this action; nothing more is begun here.
    if (stop.aborted) await new Promise(() => undefined);
    const step = DBOS.runStep(() => memoOf(perform, action, stop), { name: STEP });
    steps.add(step);
    return step.finally(() => steps.delete(step));
  };

  return {
    async turn({ created, at }: LoopOrder): Promise<Ending> {
      const begun = runMachine.begin(firstRecord(upcastCreated(created), at));
      const perform = performersOf(begun, host, root, runner);
      // DBOS keeps the records: they are the results of its steps.
      const turning = turns(runMachine, begun, () => undefined);
      for (let turn = turning.next(); ; ) {
        if (turn.done === true) return turn.value.ending;
        const { action } = turn.value;
        if (action.do === 'end') return action.ending;
        const memo = await recorded(perform, await afterWaiting(action));
        if (memo.kind === 'refused') return { ...memo, kind: 'configuration' };
        turn = turning.next(memo.record);
      }
    },
    /** Resolves when nothing is being performed and everything performed is recorded. */
    stepsDone: () => Promise.allSettled(steps),
  };
}

/** A durable wait that a message can end, unlike `DBOS.sleep`; the rest of the action then takes no time. */
async function afterWaiting(action: Action): Promise<Action> {
  if (action.do !== 'wait' || typeof action.until !== 'number') return action;
  await DBOS.recv(WAKE_TOPIC, { deadlineEpochMS: action.until });
  return { ...action, until: 'now' };
}

/** Runs inside a step: performs the action, and puts the time into the record. */
async function memoOf(perform: Perform, action: Action, stop: AbortSignal): Promise<Memo> {
  const cancelled = DBOS.stepStatus?.cancelSignal;
  const signal = cancelled === undefined ? stop : AbortSignal.any([cancelled, stop]);
  try {
    // There is no terminal; transcripts are in the runs' folders.
    const { result, attempt = 1 } = await perform(action, { signal, progress: () => undefined, ready: alwaysReady });
    return { kind: 'record', record: { at: Date.now(), attempt, result } };
  } catch (error) {
    // An error in the settings; if it were thrown, it would come back from the database as just any error.
    if (!(error instanceof RalphError)) throw error;
    const { message: reason, advice } = error;
    return { kind: 'refused', reason, ...(advice.hint === undefined ? {} : { hint: advice.hint }) };
  }
}

function performersOf(begun: LoopState<RunData>, host: Host, root: StateRoot, runner: Runner): Perform {
  const { id, cwd, data } = begun;
  const folder = loopFolder(root, id);
  const perform = runPerformers({ loop: { id, folder }, cwd, request: data.request }, host, runner);
  return (action, at) => {
    if (action.do === 'read-inputs') {
      makePrivateFolder(folder);
      excludeFromGit(cwd, LOGS);
    }
    return perform(action, at);
  };
}
