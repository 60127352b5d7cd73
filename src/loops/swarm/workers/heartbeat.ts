/** Starts, pauses and stops the heartbeat of a worker. A monitor in the background beats. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../../core/error.ts';
import type { Duration } from '../../../core/time.ts';
import { makeFolders, writeFile } from '../../../process/files.ts';
import { identify, isRunning, type ProcessIdentity } from '../../../process/identity/identity.ts';
import { withoutWorkerMarks } from '../../../tmux/command.ts';
import {
  type Heartbeat,
  isOn,
  readHeartbeat,
  removeHeartbeatFile,
  utcTimestamp,
  writeHeartbeat,
} from './heartbeat-record.ts';
import { heartbeatsFolder, workerLock } from './home.ts';
import { locked } from './locked.ts';
import { findWorker } from './registry.ts';
import { notFound, refused, type Swarm } from './swarm.ts';

export interface HeartbeatRequest {
  readonly name: string;
  readonly interval: Duration;
  readonly expire: Duration | null;
  readonly message: string;
  readonly force: boolean;
}

const PATIENCE: Duration = 10_000;

export function startHeartbeat(swarm: Swarm, request: HeartbeatRequest): Promise<void> {
  const { name, interval, expire, message, force } = request;
  return lockedHeartbeat(swarm, name, async () => {
    const worker = findWorker(swarm, name);
    if (worker === undefined) throw notFound(name);
    if (worker.tmux === null) throw refused('heartbeat requires tmux worker');
    const existing = readHeartbeat(swarm.home, name);
    if (existing !== null && isOn(existing) && !force) {
      throw refused(`heartbeat already active for '${name}' (use --force to replace)`);
    }
    endMonitor(swarm, name);
    const now = Date.now();
    const heartbeat: Heartbeat = {
      worker_name: name,
      interval_seconds: interval / 1000,
      expire_at: expire === null ? null : utcTimestamp(now + expire),
      message,
      created_at: utcTimestamp(now),
      last_beat_at: null,
      beat_count: 0,
      status: 'active',
      monitor_pid: null,
    };
    writeHeartbeat(swarm.home, heartbeat);
    writeHeartbeat(swarm.home, { ...heartbeat, monitor_pid: await startMonitor(swarm, name) });
  });
}

/** False when there was none to stop. */
export function stopHeartbeat(swarm: Swarm, name: string): Promise<boolean> {
  // Most workers have none, and need no lock to find that out.
  if (readHeartbeat(swarm.home, name) === null) return Promise.resolve(false);
  return lockedHeartbeat(swarm, name, () => {
    const heartbeat = readHeartbeat(swarm.home, name);
    if (heartbeat === null) return false;
    endMonitor(swarm, name);
    writeHeartbeat(swarm.home, { ...heartbeat, status: 'stopped', monitor_pid: null });
    return true;
  });
}

export async function removeHeartbeat(swarm: Swarm, name: string): Promise<void> {
  if (await stopHeartbeat(swarm, name)) removeHeartbeatFile(swarm.home, name);
}

export function pauseHeartbeat(swarm: Swarm, name: string): Promise<void> {
  return lockedHeartbeat(swarm, name, () => {
    writeHeartbeat(swarm.home, { ...inState(swarm, name, 'active'), status: 'paused' });
  });
}

export function resumeHeartbeat(swarm: Swarm, name: string): Promise<void> {
  return lockedHeartbeat(swarm, name, async () => {
    const heartbeat = { ...inState(swarm, name, 'paused'), status: 'active' as const };
    writeHeartbeat(swarm.home, heartbeat);
    const monitor = readMonitor(swarm, name);
    if (monitor !== null && isRunning(monitor, swarm.place)) return;
    writeHeartbeat(swarm.home, { ...heartbeat, monitor_pid: await startMonitor(swarm, name) });
  });
}

/** Changes the record if it is still the one that the monitor was started for. */
export function changeHeartbeat(
  swarm: Swarm,
  { worker_name, created_at }: Heartbeat,
  change: Partial<Heartbeat>,
): Promise<void> {
  return lockedHeartbeat(swarm, worker_name, () => {
    const now = readHeartbeat(swarm.home, worker_name);
    if (now !== null && now.created_at === created_at) writeHeartbeat(swarm.home, { ...now, ...change });
  });
}

function inState(swarm: Swarm, name: string, wanted: 'active' | 'paused'): Heartbeat {
  const heartbeat = readHeartbeat(swarm.home, name);
  if (heartbeat === null) throw refused(`no heartbeat found for ${name}`);
  if (heartbeat.status !== wanted)
    throw refused(`heartbeat for ${name} is not ${wanted} (status: ${heartbeat.status})`);
  return heartbeat;
}

async function startMonitor({ self, env, home, place }: Swarm, name: string): Promise<number | null> {
  const [program, ...args] = self;
  const child = spawn(program, [...args, 'heartbeat', 'monitor', name], {
    cwd: home.path,
    env: withoutWorkerMarks(env),
    detached: true,
    stdio: 'ignore',
  });
  await once(child, 'spawn');
  child.unref();
  const monitor = child.pid === undefined ? null : identify(child.pid, place);
  if (monitor === null) return null;
  makeFolders(heartbeatsFolder(home), 0o700);
  writeFile(monitorPath(home, name), JSON.stringify(monitor), { mode: 0o600 });
  return monitor.pid;
}

function endMonitor(swarm: Swarm, name: string): void {
  const monitor = readMonitor(swarm, name);
  if (monitor !== null && isRunning(monitor, swarm.place)) process.kill(monitor.pid, 'SIGTERM');
  rmSync(monitorPath(swarm.home, name), { force: true });
}

function readMonitor({ home }: Swarm, name: string): ProcessIdentity | null {
  try {
    return JSON.parse(readFileSync(monitorPath(home, name), 'utf8')) as ProcessIdentity;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT' || error instanceof SyntaxError) return null;
    throw error;
  }
}

function monitorPath(home: Swarm['home'], name: string): string {
  return join(heartbeatsFolder(home), `${name}.monitor`);
}

function lockedHeartbeat<T>({ home, place }: Swarm, name: string, work: () => Promise<T> | T): Promise<T> {
  const purpose = `a change of the heartbeat of '${name}'`;
  return locked({ folder: `${workerLock(home, name)}.heartbeat`, purpose, place, patience: PATIENCE }, work);
}
