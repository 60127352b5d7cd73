/** Where swarm keeps its things: `~/.swarm`, or what SWARM_HOME names. */
import { join } from 'node:path';

/** The caller has read the environment. */
export interface Home {
  readonly path: string;
}

export function statePath({ path }: Home): string {
  return join(path, 'state.json');
}

export function stateLock({ path }: Home): string {
  return join(path, 'locks', 'state');
}

/** Held by whoever starts or ends the worker of this name. */
export function workerLock({ path }: Home, name: string): string {
  return join(path, 'locks', `worker-${name}`);
}

export function logsFolder({ path }: Home): string {
  return join(path, 'logs');
}

export function logPath(home: Home, name: string, kind: 'stdout' | 'stderr' | 'tmux'): string {
  return join(logsFolder(home), `${name}.${kind}.log`);
}

/** What proves that a window or process is this worker's. */
export function workersFolder({ path }: Home): string {
  return join(path, 'workers');
}

export function windowFolder(home: Home, name: string): string {
  return join(workersFolder(home), name, 'window');
}

export function processFolder(home: Home, name: string): string {
  return join(workersFolder(home), name, 'process');
}

/** The policy of its sandbox, and what that has refused it. */
export function sandboxFolder(home: Home, name: string): string {
  return join(workersFolder(home), name, 'sandbox');
}

/** A copy of the worker's record: what is alive outlives a lost state file. */
export function recordPath(home: Home, name: string): string {
  return join(workersFolder(home), name, 'record.json');
}

export function heartbeatsFolder({ path }: Home): string {
  return join(path, 'heartbeats');
}
