/** Orders a loop from the fleet, and waits for its ending. */
import { DBOSClient } from '@dbos-inc/dbos-sdk';
import { version } from '../../package.json';
import type { Ending } from '../core/ending.ts';
import { RalphError } from '../core/error.ts';
import type { Duration } from '../core/time.ts';
import type { RunRequest } from '../loops/run/request.ts';
import { newLoopId } from '../state/paths.ts';
import { dbosLog, openDatabase } from './database.ts';
import { APPLICATION, type LoopOrder, PROTOCOL_VERSION, QUEUE, WORKFLOW } from './protocol.ts';

const PATIENCE: Duration = 10_000;
const RESULT_POLL: Duration = 250;

/** Puts a loop into the queue; a worker drives it whether we wait or not. */
export async function runOnFleet(
  database: string,
  options: RunRequest,
  cwd: string,
  say: (message: string) => void,
): Promise<{ readonly id: string; readonly ending: Ending }> {
  await refuseEmpty(database);
  const logger = dbosLog(say);
  const client = await DBOSClient.create({ systemDatabaseUrl: database, applicationName: APPLICATION, logger });
  try {
    const at = Date.now();
    const id = newLoopId(at);
    const created = { id, loopKind: 'run', cwd, release: version, options };
    const names = { queueName: QUEUE, workflowName: WORKFLOW, workflowID: id, appVersion: PROTOCOL_VERSION };
    await client.enqueue<(order: LoopOrder) => Promise<Ending>>(names, { created, at });
    say(`loop ${id} is in the queue; it continues even if this command ends`);
    // The type is what the workflow of this name returns.
    const ending = await client.retrieveWorkflow<Ending>(id).getResult({ pollingIntervalMs: RESULT_POLL });
    return { id, ending };
  } finally {
    await client.destroy();
  }
}

/** DBOS itself would try forever without a message. */
async function refuseEmpty(database: string): Promise<void> {
  const pool = await openDatabase(database, PATIENCE);
  try {
    const { rows } = await pool.query<{ table: string | null }>(`SELECT to_regclass('ralph_fleet.worker') AS table`);
    if (rows[0]?.table != null) return;
    const hint = 'Start one first: ralph fleet worker --database …';
    throw new RalphError('FLEET_EMPTY', 'no worker was ever started on this database', { hint });
  } finally {
    await pool.end();
  }
}
