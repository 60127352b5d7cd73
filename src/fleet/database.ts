/** Opens the fleet's database; if that fails, the error is a sentence for a person. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { DLogger } from '@dbos-inc/dbos-sdk';
import { Pool } from 'pg';
import { errnoOf, RalphError } from '../core/error.ts';
import type { Duration } from '../core/time.ts';

const LOCK_POLL: Duration = 50;
/** A number that no other program uses: "ralph" in ASCII. */
const SETUP_LOCK = 0x72616c7068;

/** `patience`: how long a query may take; a database that hangs must not stop a worker's heartbeat unnoticed. */
export async function openDatabase(url: string, patience: Duration): Promise<Pool> {
  const pool = new Pool({ connectionString: url, max: 2, connectionTimeoutMillis: patience, query_timeout: patience });
  pool.on('error', ignore);
  pool.on('connect', (client) => client.on('error', ignore));
  try {
    await pool.query('SELECT 1');
    return pool;
  } catch (error) {
    await pool.end();
    throw unreachable(error);
  }
}

// DBOS's own migrations cannot run side by side. The lock is polled for: a session that waits inside PostgreSQL holds a
// snapshot, and `CREATE INDEX CONCURRENTLY` would wait for that in turn.
export async function oneAtATime(pool: Pool, setUp: () => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    const tryLock = 'SELECT pg_try_advisory_lock($1) AS got';
    while ((await client.query<{ got: boolean }>(tryLock, [SETUP_LOCK])).rows[0]?.got !== true) await sleep(LOCK_POLL);
    await setUp();
  } finally {
    // The session ends with its connection, and the lock with the session.
    client.release(true);
  }
}

function ignore(): void {
  // A dead connection shows at the next query; without a listener, its event would end the process.
}

/** Without the address: it may contain a password. */
function unreachable(error: unknown): RalphError {
  const said = error instanceof Error && error.message !== '' ? error.message : (errnoOf(error) ?? String(error));
  const hint = 'Check --database, for example postgresql://user@host:5432/ralph; the database must exist.';
  return new RalphError('FLEET_DATABASE', `the fleet's database cannot be used: ${said}`, { hint });
}

const SAY_AGAIN_AFTER: Duration = 60_000;

/** Reports only what a person may have to act on, and not the same thing over and over during an outage. */
export function dbosLog(say: (message: string) => void): DLogger {
  const saidAt = new Map<string, number>();
  const tell = (entry: unknown): void => {
    const now = performance.now();
    for (const [message, at] of saidAt) if (now - at > SAY_AGAIN_AFTER) saidAt.delete(message);
    const message = String(entry);
    if (!saidAt.has(message)) say(`dbos: ${message}`);
    saidAt.set(message, saidAt.get(message) ?? now);
  };
  // The rest is about DBOS itself, not about problems.
  return { debug: () => undefined, info: () => undefined, warn: tell, error: tell };
}
