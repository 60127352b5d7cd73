/** Tests the internals of DBOS that the fleet depends on: one unpublished function, and one table. */
import { DBOS } from '@dbos-inc/dbos-sdk';
import type { Pool } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase } from '../../src/fleet/database.ts';
import { type Members, membersIn, recoverLoopsOf } from '../../src/fleet/members.ts';
import { APPLICATION, PROTOCOL_VERSION, QUEUE, WORKFLOW } from '../../src/fleet/protocol.ts';
import { type Postgres, startPostgres } from './postgres.ts';

const HOUR = 3_600_000;
const QUERY_MS = 10_000;

let postgres: Postgres;
let pool: Pool;
let members: Members;

beforeAll(async () => {
  postgres = await startPostgres();
  const systemDatabaseUrl = await postgres.newDatabase();
  pool = await openDatabase(systemDatabaseUrl, QUERY_MS);
  members = membersIn(pool, 'self');
  const identity = { executorID: 'self', applicationVersion: PROTOCOL_VERSION };
  DBOS.setConfig({ name: APPLICATION, systemDatabaseUrl, ...identity, logLevel: 'error' });
  await DBOS.launch();
  await members.setUp();
  await members.join();
});

afterAll(async () => {
  if (DBOS.isInitialized()) await DBOS.shutdown();
  await pool?.end();
  await postgres?.stop();
});

test('only the pending loops of the dead worker return to their queues, without an owner', async () => {
  await loop('of-the-dead', 'dead');
  await loop('of-the-living', 'living');
  await loop('cancelled', 'dead', { status: 'CANCELLED' });
  await loop('of-another-protocol', 'dead', { application_version: 'protocol-0' });
  await loop('of-another-application', 'dead', { application_name: 'other' });

  expect(await recoverLoopsOf('dead')).toEqual(['of-the-dead']);

  const { rows } = await pool.query(
    `SELECT workflow_uuid AS loop, status, queue_name AS queue, owner_xid AS owner FROM dbos.workflow_status ORDER BY 1`,
  );
  expect(rows).toEqual([
    { loop: 'cancelled', status: 'CANCELLED', queue: QUEUE, owner: 'owner' },
    { loop: 'of-another-application', status: 'PENDING', queue: QUEUE, owner: 'owner' },
    { loop: 'of-another-protocol', status: 'PENDING', queue: QUEUE, owner: 'owner' },
    { loop: 'of-the-dead', status: 'ENQUEUED', queue: QUEUE, owner: null },
    { loop: 'of-the-living', status: 'PENDING', queue: QUEUE, owner: 'owner' },
  ]);
  expect(await recoverLoopsOf('dead'), 'a second time there is nothing to do').toEqual([]);
});

test('a worker is dead without a heartbeat for a lease, or if it holds loops without being a member', async () => {
  await membersIn(pool, 'silent').join();
  await pool.query(`UPDATE ralph_fleet.worker SET beat_at = now() - interval '1 day' WHERE id = 'silent'`);
  await membersIn(pool, 'beating').join();
  await loop('stranded', 'stranger');
  await loop('finished', 'former', { status: 'SUCCESS' });

  await pool.query('SELECT pg_sleep(0.3)');
  await membersIn(pool, 'beating').beat();
  await membersIn(pool, 'living').join();
  expect((await members.dead(250)).sort()).toEqual(['silent', 'stranger']);
  expect(await members.dead(HOUR), 'soon after the start of the server, silence means nothing').toEqual(['stranger']);

  await members.forget('silent');
  expect(await membersIn(pool, 'silent').beat(), 'who was forgotten learns of it').toBe(false);
  expect(await members.beat()).toBe(true);
});

/** Adds a loop that this executor has taken, unless `change` says otherwise. */
async function loop(workflowID: string, executor: string, change: Record<string, string> = {}): Promise<void> {
  const names = { queueName: QUEUE, workflowName: WORKFLOW, workflowID, appVersion: PROTOCOL_VERSION };
  await DBOS.enqueueWorkflowWithOptions(names);
  const columns = { status: 'PENDING', executor_id: executor, owner_xid: 'owner', ...change };
  for (const [column, value] of Object.entries(columns)) {
    await pool.query(`UPDATE dbos.workflow_status SET ${column} = $1 WHERE workflow_uuid = $2`, [value, workflowID]);
  }
}
