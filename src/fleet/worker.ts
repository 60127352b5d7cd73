/**
 * A fleet worker: takes loops from the queue in PostgreSQL and turns them, as many as it has slots. Each worker has a
 * heartbeat; when one stops, another gives its loops back to the queue, and a worker with a free slot continues them. DBOS
 * is one per process, and so is the worker.
 */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { DBOS } from '@dbos-inc/dbos-sdk';
import type { Environment } from '../config/environment.ts';
import type { Duration } from '../core/time.ts';
import { thisHost } from '../process/host.ts';
import { oneAtATime, openDatabase } from './database.ts';
import { dbosLog } from './dbos-log.ts';
import { membersIn } from './members.ts';
import { APPLICATION, PROTOCOL_VERSION, QUEUE, WORKFLOW } from './protocol.ts';
import { recoverLoopsOf } from './recover.ts';
import { loopTurner } from './turn.ts';
import { keepWatch } from './watch.ts';

export interface WorkerOptions {
  readonly database: string;
  readonly environment: Environment;
  /** How many loops at once. */
  readonly slots: number;
  readonly lease: Duration;
  readonly heartbeat: Duration;
  /** How often the queue is looked at. */
  readonly poll: Duration;
  say(message: string): void;
  readonly stop: AbortSignal;
}

/** DBOS gives a workflow up after 100 takeovers by default; a loop may outlive many more workers than that. */
const MOST_TAKEOVERS = 1_000_000;

/** Resolves once it was told to stop and has ended what it was doing: the process is to end, and others go on. */
export async function runWorker(options: WorkerOptions): Promise<void> {
  const { database, environment, slots, lease, heartbeat, poll, say, stop } = options;
  const id = `${hostname()}-${process.pid}-${randomBytes(4).toString('hex')}`;
  const host = thisHost(environment.variables, environment.containment);
  const pool = await openDatabase(database, lease);
  const members = membersIn(pool, id);
  const turner = loopTurner({ host, root: environment.root, stop });
  DBOS.setConfig({
    name: APPLICATION,
    systemDatabaseUrl: database,
    executorID: id,
    applicationVersion: PROTOCOL_VERSION,
    listenQueues: [QUEUE],
    // A worker that freezes inside a transaction must not keep its locks from those who take its loops over.
    systemDatabaseIdleTransactionTimeoutMs: lease,
    logger: dbosLog(say),
  });
  DBOS.registerWorkflow(turner.turn, { name: WORKFLOW, maxRecoveryAttempts: MOST_TAKEOVERS });

  await oneAtATime(pool, async () => {
    await members.setUp();
    // Before the launch, which may already take loops: a worker that holds loops without a row counts as dead.
    await members.join();
    await DBOS.launch();
  });
  const queue = { workerConcurrency: slots, minPollingIntervalMs: poll, onConflict: 'always_update' } as const;
  await DBOS.registerQueue(QUEUE, queue);
  say(`worker ${id} is up`);

  // Rejects when this worker was taken for dead: then the process ends as it is, as if it were.
  await keepWatch({ members, lease, heartbeat, recover: recoverLoopsOf, say, signal: stop });
  await turner.settled();
  // Without a row, others take over whatever this worker holds, also what DBOS takes from the queue until the very end.
  await members.forget(id);
  await pool.end();
}
