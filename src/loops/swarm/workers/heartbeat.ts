/** A worker's heartbeat: `heartbeats/<worker>.json`, and a monitor in the background that beats. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RalphError } from '../../../core/error.ts';
import { parseDuration } from '../../../core/text/duration.ts';
import type { Duration, Instant } from '../../../core/time.ts';
import { makeFolders, readOwnJson, writeFile } from '../../../process/files.ts';
import { identify, isRunning, type ProcessIdentity } from '../../../process/identity/identity.ts';
import { writeProjection } from '../../../state/projection.ts';
import { TmuxError } from '../../../tmux/command.ts';
import { withoutWorkerMarks } from '../../../tmux/worker-mark.ts';
import { type Home, heartbeatsFolder, workerLock } from './home.ts';
import { isWorkerAlive, paneOf, sendText } from './life.ts';
import type { WorkerRecord } from './record.ts';
import { findWorker, workerNamed } from './registry.ts';
import { locked, refused, type Swarm } from './swarm.ts';

export interface Heartbeat {
  readonly worker_name: string;
  readonly interval_seconds: number;
  /** UTC, with its offset, as all times here. */
  readonly expire_at: string | null;
  readonly message: string;
  readonly created_at: string;
  readonly last_beat_at: string | null;
  readonly beat_count: number;
  readonly status: 'active' | 'paused' | 'expired' | 'stopped';
  readonly monitor_pid: number | null;
}

export function startHeartbeat(
  swarm: Swarm,
  name: string,
  { interval, expire, message, force = false }: HeartbeatRequest,
): Promise<void> {
  return lockedHeartbeat(swarm, name, async () => {
    if (workerNamed(swarm, name).tmux === null) throw refused('heartbeat requires tmux worker');
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

interface HeartbeatRequest extends Pick<Heartbeat, 'message'> {
  readonly interval: Duration;
  readonly expire: Duration | null;
  readonly force?: boolean;
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
  if (await stopHeartbeat(swarm, name)) rmSync(pathOf(swarm.home, name, 'json'), { force: true });
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

function inState(swarm: Swarm, name: string, wanted: 'active' | 'paused'): Heartbeat {
  const heartbeat = heartbeatNamed(swarm, name);
  if (heartbeat.status !== wanted)
    throw refused(`heartbeat for ${name} is not ${wanted} (status: ${heartbeat.status})`);
  return heartbeat;
}

export function heartbeatNamed({ home }: Swarm, name: string): Heartbeat {
  const heartbeat = readHeartbeat(home, name);
  if (heartbeat === null) throw refused(`no heartbeat found for ${name}`);
  return heartbeat;
}

export function readHeartbeats(home: Home): Heartbeat[] {
  makeFolders(heartbeatsFolder(home), 0o700);
  const files = readdirSync(heartbeatsFolder(home)).filter((file) => file.endsWith('.json'));
  return files.sort().flatMap((file) => readHeartbeat(home, file.slice(0, -'.json'.length)) ?? []);
}

function readHeartbeat(home: Home, name: string): Heartbeat | null {
  return readOwnJson(pathOf(home, name, 'json')) as Heartbeat | null;
}

function writeHeartbeat(home: Home, heartbeat: Heartbeat): void {
  makeFolders(heartbeatsFolder(home), 0o700);
  writeProjection(pathOf(home, heartbeat.worker_name, 'json'), `${JSON.stringify(heartbeat, null, 2)}\n`);
}

function pathOf(home: Home, name: string, kind: 'json' | 'monitor'): string {
  return join(heartbeatsFolder(home), `${name}.${kind}`);
}

function lockedHeartbeat<T>(swarm: Swarm, name: string, work: () => Promise<T> | T): Promise<T> {
  const folder = `${workerLock(swarm.home, name)}.heartbeat`;
  return locked(swarm, { folder, purpose: `a change of the heartbeat of '${name}'`, patience: 10_000 }, work);
}

function isOn({ status }: Heartbeat): boolean {
  return status === 'active' || status === 'paused';
}

/** When it beats next, or null when it does not. */
export function nextBeat({ status, last_beat_at, created_at, interval_seconds }: Heartbeat): Instant | null {
  return status === 'active' ? Date.parse(last_beat_at ?? created_at) + interval_seconds * 1000 : null;
}

/** `4h`, `30m`, `90s`, `1h30m`, or a number of seconds. */
export function parseBeatDuration(text: string): Duration | null {
  return /^\d+$/.test(text) ? Number(text) * 1000 || null : parseDuration(text);
}

export function utcTimestamp(at: Instant): string {
  return new Date(at).toISOString().replace('Z', '000+00:00');
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
  writeFile(pathOf(home, name, 'monitor'), JSON.stringify(monitor), { mode: 0o600 });
  return monitor.pid;
}

function endMonitor(swarm: Swarm, name: string): void {
  const monitor = readMonitor(swarm, name);
  if (monitor !== null && isRunning(monitor, swarm.place)) process.kill(monitor.pid, 'SIGTERM');
  rmSync(pathOf(swarm.home, name, 'monitor'), { force: true });
}

function readMonitor({ home }: Swarm, name: string): ProcessIdentity | null {
  return readOwnJson(pathOf(home, name, 'monitor')) as ProcessIdentity | null;
}

/** How late a pause, a resume or the worker's end is noticed at most. */
const LOOK_EVERY: Duration = 30_000;

/** Beats at the interval until the heartbeat expires, is stopped, or the worker is gone. */
export async function monitorHeartbeat(swarm: Swarm, name: string): Promise<void> {
  const first = readHeartbeat(swarm.home, name);
  if (first === null) return;
  const interval = first.interval_seconds * 1000;
  // By the monotonic clock: a changed wall clock neither holds a beat back nor hurries it.
  let next = performance.now() + interval;
  for (;;) {
    const heartbeat = readHeartbeat(swarm.home, name);
    if (heartbeat === null || heartbeat.created_at !== first.created_at || !isOn(heartbeat)) return;
    const { expire_at } = heartbeat;
    const untilExpiry = expire_at === null ? Number.POSITIVE_INFINITY : Date.parse(expire_at) - Date.now();
    if (untilExpiry <= 0) return changeHeartbeat(swarm, heartbeat, { status: 'expired', monitor_pid: null });
    const worker = findWorker(swarm, name);
    if (worker === undefined || !isWorkerAlive(swarm, worker)) {
      return changeHeartbeat(swarm, heartbeat, { status: 'stopped', monitor_pid: null });
    }
    if (heartbeat.status === 'paused') next = performance.now() + Math.min(interval, LOOK_EVERY);
    else if (performance.now() >= next) {
      next += interval;
      await beat(swarm, heartbeat, worker).catch(workerMayHaveEnded);
    }
    await sleep(Math.max(0, Math.min(next - performance.now(), LOOK_EVERY, untilExpiry)));
  }
}

/** A worker that ended while we typed is noticed at the next look; anything else is a bug. */
function workerMayHaveEnded(error: unknown): void {
  if (!(error instanceof RalphError || error instanceof TmuxError)) throw error;
}

/** Left out while the last one still stands unread in the worker's input. */
async function beat(swarm: Swarm, heartbeat: Heartbeat, worker: WorkerRecord): Promise<void> {
  const pane = await paneOf(swarm, worker);
  const lastLine = (await pane.capture()).trimEnd().split('\n').at(-1) ?? '';
  if (lastLine.includes(heartbeat.message)) return;
  await sendText(pane, heartbeat.message, { raw: false, enter: true });
  const change = { last_beat_at: utcTimestamp(Date.now()), beat_count: heartbeat.beat_count + 1 };
  await changeHeartbeat(swarm, heartbeat, change);
}

/** Changes the record if it is still the one that the monitor was started for. */
function changeHeartbeat(
  swarm: Swarm,
  { worker_name, created_at }: Heartbeat,
  change: Partial<Heartbeat>,
): Promise<void> {
  return lockedHeartbeat(swarm, worker_name, () => {
    const now = readHeartbeat(swarm.home, worker_name);
    if (now !== null && now.created_at === created_at) writeHeartbeat(swarm.home, { ...now, ...change });
  });
}
