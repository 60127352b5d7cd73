/** The table of workers and their last heartbeats. Each worker beats, and puts dead ones' loops back into the queue. */
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
// Not in the public class: the version is pinned, and test/fleet/recover.test.ts checks what we need of it.
import { DBOSExecutor } from '@dbos-inc/dbos-sdk/internal/dbos-executor';
import type { Pool } from 'pg';
import { RalphError } from '../core/error.ts';
import type { Duration } from '../core/time.ts';
import { APPLICATION, PROTOCOL_VERSION } from './protocol.ts';

export type Members = ReturnType<typeof membersIn>;

export function membersIn(pool: Pool, self: string) {
  return {
    /** Creates the table; call it under the set-up lock. */
    async setUp(): Promise<void> {
      await pool.query('CREATE SCHEMA IF NOT EXISTS ralph_fleet');
      await pool.query(`CREATE TABLE IF NOT EXISTS ralph_fleet.worker (
        id text PRIMARY KEY, host text NOT NULL, pid integer NOT NULL, beat_at timestamptz NOT NULL)`);
    },
    async join(): Promise<void> {
      const row = [self, hostname(), process.pid];
      await pool.query('INSERT INTO ralph_fleet.worker (id, host, pid, beat_at) VALUES ($1, $2, $3, now())', row);
    },
    /** False if the row is gone: others took this worker for dead, and its loops from it. */
    async beat(): Promise<boolean> {
      const { rowCount } = await pool.query('UPDATE ralph_fleet.worker SET beat_at = now() WHERE id = $1', [self]);
      return rowCount === 1;
    },
    async dead(lease: Duration): Promise<string[]> {
      const { rows } = await pool.query<{ id: string }>(DEAD, [lease, self, APPLICATION, PROTOCOL_VERSION]);
      return rows.map(({ id }) => id);
    },
    async forget(id: string): Promise<void> {
      await pool.query('DELETE FROM ralph_fleet.worker WHERE id = $1', [id]);
    },
  };
}

// Workers without a heartbeat for a lease, except soon after the server's start, before any heartbeat could arrive. And
// workers that hold loops but have no row: they left, or died before they noticed that others had recovered their
// loops.
const DEAD = `
  SELECT id FROM ralph_fleet.worker
  WHERE id <> $2 AND greatest(beat_at, pg_postmaster_start_time()) < now() - $1 * interval '1 millisecond'
  UNION
  SELECT executor_id FROM dbos.workflow_status
  WHERE status = 'PENDING' AND executor_id <> $2 AND application_name = $3 AND application_version = $4
    AND NOT EXISTS (SELECT FROM ralph_fleet.worker WHERE id = executor_id)`;

export interface Watch {
  /** A worker without a heartbeat for this long is dead. */
  readonly lease: Duration;
  readonly heartbeat: Duration;
  say(message: string): void;
  readonly stop: AbortSignal;
}

/** Resolves when `stop` fires; rejects when this worker itself was taken for dead. */
export async function keepWatch(members: Members, watch: Watch): Promise<void> {
  const { lease, heartbeat, say, stop: signal } = watch;
  let lastBeat = Number.NEGATIVE_INFINITY;
  let steadySince = 0;
  let looking: Promise<void> | null = null;
  let complaint: string | null = null;
  // Usually the database is unreachable: running agents continue, and are recorded when it is back. Reported once.
  const complain = (about: string, error: unknown): void => {
    const text = `${about}: ${error instanceof Error ? error.message : String(error)}`;
    if (text !== complaint) say(text);
    complaint = text;
  };
  const look = async (): Promise<void> => {
    try {
      await buryTheDead(members, watch);
      complaint = null;
    } catch (error) {
      complain('cannot look after the other workers', error);
    }
    looking = null;
  };

  // Only the signal ends a sleep early.
  const nextBeat = (): Promise<boolean> => sleep(heartbeat, true, { signal }).catch(() => false);
  while (await nextBeat()) {
    const isKnown = await members.beat().catch((error: unknown) => complain('no heartbeat', error));
    if (isKnown === false) throw takenForDead();
    if (isKnown === undefined) continue;
    const now = performance.now();
    if (now - lastBeat > lease) steadySince = now;
    lastBeat = now;
    // A worker that was cut off or asleep cannot tell who else was: first, the others get time for a heartbeat.
    if (now - steadySince < lease) continue;
    // Not awaited: a recovery that is delayed must not stop this worker's heartbeat, too.
    looking ??= look();
  }
  await looking;
}

async function buryTheDead(members: Members, { lease, say }: Watch): Promise<void> {
  for (const id of await members.dead(lease)) {
    // In this order, so that a dead worker keeps its row until its loops are back in the queue.
    const loops = await recoverLoopsOf(id);
    await members.forget(id);
    say(`worker ${id} is gone; ${loops.length === 0 ? 'it had no loops' : `back in the queue: ${loops.join(' ')}`}`);
  }
}

/** Puts the loops of a dead worker back into the queue. From then on, DBOS refuses what it still wants to record. */
export async function recoverLoopsOf(executor: string): Promise<string[]> {
  const self = DBOSExecutor.globalInstance;
  if (self === undefined) throw new Error('only a running worker can recover the loops of another');
  const loops = await self.recoverPendingWorkflows([executor]);
  return loops.map(({ workflowID }) => workflowID);
}

/** The worker ends: its agents die with it, and DBOS refuses what it would still record. */
function takenForDead(): RalphError {
  const fact = 'this worker had no heartbeat for too long; its loops were given to others';
  const hint = 'Start it again. If the machine is merely slow, give all workers a longer --lease.';
  return new RalphError('FLEET_TAKEN_FOR_DEAD', fact, { hint, exitCode: 3 });
}
