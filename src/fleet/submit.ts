/** Orders a loop from the fleet, and waits for how it ends. */
import { DBOSClient } from '@dbos-inc/dbos-sdk';
import type { Ending } from '../core/ending.ts';
import { RalphError } from '../core/error.ts';
import type { Duration } from '../core/time.ts';
import type { RunRequest } from '../loops/run/rules.ts';
import { newLoopId } from '../state/paths.ts';
import { openDatabase } from './database.ts';
import { dbosLog } from './dbos-log.ts';
import { APPLICATION, type LoopOrder, PROTOCOL_VERSION, QUEUE, WORKFLOW } from './protocol.ts';

export interface Fleet {
  /** Puts a loop into the queue and returns its id; a worker goes on with it whether we wait or not. */
  submit(request: RunRequest, cwd: string, release: string): Promise<string>;
  result(id: string): Promise<Ending>;
  close(): Promise<void>;
}

const PATIENCE: Duration = 10_000;
const RESULT_POLL: Duration = 250;

export async function openFleet(database: string, say: (message: string) => void): Promise<Fleet> {
  // DBOS itself would try for ever without a word.
  const pool = await openDatabase(database, PATIENCE);
  try {
    const { rows } = await pool.query<{ table: string | null }>(`SELECT to_regclass('ralph_fleet.worker') AS table`);
    if (rows[0]?.table == null) throw noWorkerYet();
  } finally {
    await pool.end();
  }
  const logger = dbosLog(say);
  const client = await DBOSClient.create({ systemDatabaseUrl: database, applicationName: APPLICATION, logger });
  return {
    async submit(request, cwd, release) {
      const at = Date.now();
      const id = newLoopId(at);
      const order: LoopOrder = { created: { id, loopKind: 'run', cwd, release, options: request }, at };
      const names = { queueName: QUEUE, workflowName: WORKFLOW, workflowID: id, appVersion: PROTOCOL_VERSION };
      await client.enqueue<(order: LoopOrder) => Promise<Ending>>(names, order);
      return id;
    },
    // What the workflow of this name returns.
    result: (id) => client.retrieveWorkflow<Ending>(id).getResult({ pollingIntervalMs: RESULT_POLL }),
    close: () => client.destroy(),
  };
}

function noWorkerYet(): RalphError {
  return new RalphError('FLEET_EMPTY', 'no worker was ever started on this database', {
    hint: 'Start one first: ralph fleet worker --database …',
  });
}
