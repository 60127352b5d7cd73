/** Where swarm keeps its things: `~/.swarm`, or what SWARM_HOME names. */
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ifThere } from '../../../process/files.ts';

/** The caller has read the environment. */
export interface Home {
  readonly path: string;
}

export const statePath = ({ path }: Home) => join(path, 'state.json');
export const stateLock = ({ path }: Home) => join(path, 'locks', 'state');
export const heartbeatsFolder = ({ path }: Home) => join(path, 'heartbeats');
export const logsFolder = ({ path }: Home) => join(path, 'logs');
/** What proves that a window or process is a worker's. */
export const workersFolder = ({ path }: Home) => join(path, 'workers');

/** Held while the worker of this name is started or ended. */
export const workerLock = ({ path }: Home, name: string) => join(path, 'locks', `worker-${name}`);
export const windowFolder = (home: Home, name: string) => join(workersFolder(home), name, 'window');
export const processFolder = (home: Home, name: string) => join(workersFolder(home), name, 'process');
/** The policy of its sandbox, and what that has refused it. */
export const sandboxFolder = (home: Home, name: string) => join(workersFolder(home), name, 'sandbox');
/** A copy of the worker's record: what is alive outlives a lost state file. */
export const recordPath = (home: Home, name: string) => join(workersFolder(home), name, 'record.json');

const LOGS = ['stdout', 'stderr', 'tmux'] as const;

export function logPath(home: Home, name: string, kind: (typeof LOGS)[number]): string {
  return join(logsFolder(home), `${name}.${kind}.log`);
}

/** A new worker's log holds nothing of an earlier one of its name; that one's is kept beside it, once. */
export function keepPreviousLogs(home: Home, name: string): void {
  for (const kind of LOGS) {
    const path = logPath(home, name, kind);
    ifThere(() => renameSync(path, `${path}.previous`));
  }
}

export function removeLogs(home: Home, name: string): void {
  for (const path of LOGS.map((kind) => logPath(home, name, kind))) {
    for (const file of [path, `${path}.previous`]) rmSync(file, { force: true });
  }
}
