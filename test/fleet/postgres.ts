/** A real PostgreSQL server for a test, with its own data, on loopback only. It dies with the test. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Client, type QueryResultRow } from 'pg';
import { IN_MEMORY } from '../support/folder.ts';
import { withDeadline } from './deadline.ts';

export interface Postgres {
  /** Creates an empty database and returns its URL. */
  newDatabase(): Promise<string>;
  stop(): Promise<void>;
}

/** PostgreSQL refuses to run as root; this user has no rights. */
const OTHER_USER = 65_534;
const DEBIAN = '/usr/lib/postgresql';
const START_MS = 30_000;
const STOP_MS = 10_000;
const SETTINGS = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off', 'max_connections=50'];

export async function startPostgres(): Promise<Postgres> {
  const data = mkdtempSync(join(IN_MEMORY, 'ralph-postgres-'));
  let server: ChildProcess | null = null;
  const stop = async (): Promise<void> => {
    if (server !== null) await end(server);
    rmSync(data, { recursive: true, force: true });
  };
  try {
    if (isRoot()) chownSync(data, OTHER_USER, OTHER_USER);
    const port = await freePort();
    execFileSync(...asNobody('initdb', ['-D', data, '-A', 'trust', '-U', 'ralph', '--no-sync', '-E', 'UTF8']), {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const settings = SETTINGS.flatMap((setting) => ['-c', setting]);
    server = spawn(...asNobody('postgres', ['-D', data, '-p', String(port), ...settings]), {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await withDeadline('PostgreSQL is ready', START_MS, readiness(server));
    let made = 0;
    const newDatabase = async (): Promise<string> => {
      const name = `ralph_${++made}`;
      await query(`postgresql://ralph@127.0.0.1:${port}/postgres`, `CREATE DATABASE ${name}`);
      return `postgresql://ralph@127.0.0.1:${port}/${name}`;
    };
    return { newDatabase, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

export async function query<Row extends QueryResultRow>(
  url: string,
  sql: string,
  values: unknown[] = [],
): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql, values)).rows;
  } finally {
    await client.end();
  }
}

function asNobody(program: string, args: string[]): [string, string[]] {
  const user = isRoot() ? [`--reuid=${OTHER_USER}`, `--regid=${OTHER_USER}`, '--clear-groups'] : [];
  return ['setpriv', [...user, '--pdeathsig=KILL', programPath(program), ...args]];
}

/** Debian does not put the server's programs on the PATH. */
function programPath(program: string): string {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN) : [];
  const paths = versions.map((version) => join(DEBIAN, version, 'bin', program)).filter((path) => existsSync(path));
  return paths.at(-1) ?? program;
}

function readiness(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = '';
    server.stderr?.on('data', (chunk: Buffer) => {
      log += chunk.toString();
      if (log.includes('ready to accept connections')) resolve();
    });
    server.once('error', reject);
    server.once('exit', (code) => reject(new Error(`PostgreSQL ended with ${code}\n${log}`)));
  });
}

/** SIGINT is PostgreSQL's fast shutdown: it does not wait for clients. */
async function end(server: ChildProcess): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return;
  const exited = once(server, 'exit');
  server.kill('SIGINT');
  const insist = setTimeout(() => server.kill('SIGKILL'), STOP_MS);
  await exited;
  clearTimeout(insist);
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  if (address === null || typeof address === 'string') throw new Error('a port that is no number');
  return address.port;
}

function isRoot(): boolean {
  return process.getuid?.() === 0;
}
