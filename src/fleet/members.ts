/** The table of workers: one row each, with its last heartbeat by the database's own clock. */
import { hostname } from 'node:os';
import type { Pool } from 'pg';
import type { Duration } from '../core/time.ts';
import { APPLICATION, PROTOCOL_VERSION } from './protocol.ts';

export interface Members {
  /** Makes the table; call it under the set-up lock. */
  setUp(): Promise<void>;
  join(): Promise<void>;
  /** False when the row is gone: others took this worker for dead and its loops from it. */
  beat(): Promise<boolean>;
  /** Executors that died while they had loops. */
  dead(lease: Duration): Promise<string[]>;
  forget(id: string): Promise<void>;
}

export function membersIn(pool: Pool, self: string): Members {
  return {
    async setUp() {
      await pool.query('CREATE SCHEMA IF NOT EXISTS ralph_fleet');
      await pool.query(`CREATE TABLE IF NOT EXISTS ralph_fleet.worker (
        id text PRIMARY KEY, host text NOT NULL, pid integer NOT NULL, beat_at timestamptz NOT NULL)`);
    },
    async join() {
      const row = [self, hostname(), process.pid];
      await pool.query('INSERT INTO ralph_fleet.worker (id, host, pid, beat_at) VALUES ($1, $2, $3, now())', row);
    },
    async beat() {
      const { rowCount } = await pool.query('UPDATE ralph_fleet.worker SET beat_at = now() WHERE id = $1', [self]);
      return rowCount === 1;
    },
    async dead(lease) {
      const { rows } = await pool.query<{ id: string }>(DEAD, [lease, self, APPLICATION, PROTOCOL_VERSION]);
      return rows.map(({ id }) => id);
    },
    async forget(id) {
      await pool.query('DELETE FROM ralph_fleet.worker WHERE id = $1', [id]);
    },
  };
}

/**
 * Those without a heartbeat for a lease; not soon after the server's start, before any could arrive. And those
 * who hold loops without a row: they left, or died between their recovery by others and noticing it.
 */
const DEAD = `
  SELECT id FROM ralph_fleet.worker
  WHERE id <> $2 AND greatest(beat_at, pg_postmaster_start_time()) < now() - $1 * interval '1 millisecond'
  UNION
  SELECT executor_id FROM dbos.workflow_status
  WHERE status = 'PENDING' AND executor_id <> $2 AND application_name = $3 AND application_version = $4
    AND NOT EXISTS (SELECT FROM ralph_fleet.worker WHERE id = executor_id)`;
