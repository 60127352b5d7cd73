/** `swarm heartbeat`: a background process, the monitor, types a message into a worker's window at an interval. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RalphError } from '../../../core/error.ts';
import { formatDuration, parseDuration } from '../../../core/text/duration.ts';
import type { Duration, Instant } from '../../../core/time.ts';
import { ifThere, makeFolders, readOwnJson, writeFile } from '../../../process/files.ts';
import { identify, isRunning, type ProcessIdentity } from '../../../process/identity/identity.ts';
import { writeProjection } from '../../../state/projection.ts';
import { TmuxError } from '../../../tmux/command.ts';
import { withoutWorkerMarks } from '../../../tmux/worker-mark.ts';
import { isWorkerAlive, paneOf, sendText } from './liveness.ts';
import { columns, type WorkerRecord } from './record.ts';
import { findWorker, workerNamed } from './registry.ts';
import { locked, refused, type Swarm, workerFiles } from './swarm.ts';

interface Heartbeat {
  readonly worker_name: string;
  readonly interval_seconds: number;
  /** UTC, with its offset, like all times here. */
  readonly expire_at: string | null;
  readonly message: string;
  readonly created_at: string;
  readonly last_beat_at: string | null;
  readonly beat_count: number;
  readonly status: 'active' | 'paused' | 'expired' | 'stopped';
  readonly monitor_pid: number | null;
}

export async function startHeartbeat(
  swarm: Swarm,
  name: string,
  { message, force = false, ...flags }: { interval: string; expire?: string; message: string; force?: boolean },
): Promise<void> {
  const interval = parseBeatDuration(flags.interval);
  if (interval === null) throw refused(`invalid interval '${flags.interval}'`);
  const expire = flags.expire === undefined ? null : parseBeatDuration(flags.expire);
  if (flags.expire !== undefined && expire === null) throw refused(`invalid expire '${flags.expire}'`);
  await lockedHeartbeat(swarm, name, async () => {
    if (workerNamed(swarm, name).tmux === null) throw refused('heartbeat requires tmux worker');
    const existing = readHeartbeat(swarm, name);
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
    writeHeartbeat(swarm, heartbeat);
    await startMonitor(swarm, heartbeat);
  });
  if (interval < 60_000) {
    swarm.warn(`swarm: warning: very short interval (${flags.interval}), consider using at least 1m`);
  }
  const end = expire === null ? 'no expiration' : `expires in ${formatDuration(expire)}`;
  swarm.say(`Heartbeat started for ${name} (every ${formatDuration(interval)}, ${end})`);
}

/** False if there was none to stop. */
export function stopHeartbeat(swarm: Swarm, name: string): Promise<boolean> {
  // Most workers have no heartbeat, and need no lock to find that out.
  if (readHeartbeat(swarm, name) === null) return Promise.resolve(false);
  return lockedHeartbeat(swarm, name, () => {
    const heartbeat = readHeartbeat(swarm, name);
    if (heartbeat === null) return false;
    endMonitor(swarm, name);
    writeHeartbeat(swarm, { ...heartbeat, status: 'stopped', monitor_pid: null });
    return true;
  });
}

export async function removeHeartbeat(swarm: Swarm, name: string): Promise<void> {
  if (await stopHeartbeat(swarm, name)) rmSync(pathOf(swarm, name, 'json'), { force: true });
}

export async function heartbeatStop(swarm: Swarm, name: string): Promise<void> {
  const stopped = await stopHeartbeat(swarm, name);
  swarm.say(stopped ? `Heartbeat stopped for ${name}` : `No active heartbeat for ${name}`);
}

export async function pauseHeartbeat(swarm: Swarm, name: string): Promise<void> {
  const pause = () => writeHeartbeat(swarm, { ...inState(swarm, name, 'active'), status: 'paused' });
  await lockedHeartbeat(swarm, name, pause);
  swarm.say(`Heartbeat paused for ${name}`);
}

export async function resumeHeartbeat(swarm: Swarm, name: string): Promise<void> {
  await lockedHeartbeat(swarm, name, async () => {
    const heartbeat = { ...inState(swarm, name, 'paused'), status: 'active' as const };
    writeHeartbeat(swarm, heartbeat);
    if (livingMonitor(swarm, name) === null) await startMonitor(swarm, heartbeat);
  });
  swarm.say(`Heartbeat resumed for ${name}`);
}

function inState(swarm: Swarm, name: string, wanted: 'active' | 'paused'): Heartbeat {
  const heartbeat = heartbeatNamed(swarm, name);
  if (heartbeat.status === wanted) return heartbeat;
  throw refused(`heartbeat for ${name} is not ${wanted} (status: ${heartbeat.status})`);
}

function heartbeatNamed(swarm: Swarm, name: string): Heartbeat {
  const heartbeat = readHeartbeat(swarm, name);
  if (heartbeat === null) throw refused(`no heartbeat found for ${name}`);
  return heartbeat;
}

export function listHeartbeats(swarm: Swarm, { format }: { format: string }): void {
  const files = (ifThere(() => readdirSync(folderOf(swarm))) ?? []).filter((file) => file.endsWith('.json'));
  const all = files.sort().flatMap((file) => readHeartbeat(swarm, file.slice(0, -'.json'.length)) ?? []);
  const row = (heartbeat: Heartbeat): string[] => [
    heartbeat.worker_name,
    formatDuration(heartbeat.interval_seconds * 1000),
    until(nextBeat(heartbeat)) ?? '-',
    until(heartbeat.expire_at) ?? 'never',
    heartbeat.status,
    String(heartbeat.beat_count),
  ];
  if (format === 'json') swarm.say(JSON.stringify(all, null, 2));
  else if (all.length === 0) swarm.say('No heartbeats found');
  else swarm.show(columns(['WORKER', 'INTERVAL', 'NEXT BEAT', 'EXPIRES', 'STATUS', 'BEATS'], all.map(row)));
}

export function showHeartbeat(swarm: Swarm, name: string, { format }: { format: string }): void {
  const heartbeat = heartbeatNamed(swarm, name);
  const next_beat_at = nextBeat(heartbeat);
  const { expire_at, last_beat_at } = heartbeat;
  if (format === 'json') swarm.say(JSON.stringify({ ...heartbeat, next_beat_at }, null, 2));
  else
    swarm.show(`Worker: ${heartbeat.worker_name}
Status: ${heartbeat.status}
Interval: ${formatDuration(heartbeat.interval_seconds * 1000)}
Message: ${heartbeat.message}
Created: ${heartbeat.created_at}
Expires: ${expire_at === null ? 'never' : `${expire_at} (${until(expire_at)})`}
Last beat: ${last_beat_at ?? 'none'}
Next beat: ${until(next_beat_at) ?? '-'}
Beat count: ${heartbeat.beat_count}
`);
}

function until(timestamp: string | null): string | null {
  if (timestamp === null) return null;
  const left = Date.parse(timestamp) - Date.now();
  return left <= 0 ? 'now' : formatDuration(left);
}

/** Null if it is not active. */
function nextBeat({ status, last_beat_at, created_at, interval_seconds }: Heartbeat): string | null {
  return status === 'active' ? utcTimestamp(Date.parse(last_beat_at ?? created_at) + interval_seconds * 1000) : null;
}

const readHeartbeat = (swarm: Swarm, name: string) => readOwnJson(pathOf(swarm, name, 'json')) as Heartbeat | null;

function writeHeartbeat(swarm: Swarm, heartbeat: Heartbeat): void {
  makeFolders(folderOf(swarm), 0o700);
  writeProjection(pathOf(swarm, heartbeat.worker_name, 'json'), `${JSON.stringify(heartbeat, null, 2)}\n`);
}

const folderOf = ({ home }: Swarm) => join(home, 'heartbeats');
const pathOf = (swarm: Swarm, name: string, kind: 'json' | 'monitor') => join(folderOf(swarm), `${name}.${kind}`);

function lockedHeartbeat<T>(swarm: Swarm, name: string, work: () => Promise<T> | T): Promise<T> {
  const folder = `${workerFiles(swarm.home, name).lock}.heartbeat`;
  return locked(folder, `a change of the heartbeat of '${name}'`, work);
}

const isOn = ({ status }: Heartbeat) => status === 'active' || status === 'paused';

/** `4h`, `30m`, `90s`, `1h30m`, or a number of seconds. */
function parseBeatDuration(text: string): Duration | null {
  return /^\d+$/.test(text) ? Number(text) * 1000 || null : parseDuration(text);
}

const utcTimestamp = (at: Instant) => new Date(at).toISOString().replace('Z', '000+00:00');

async function startMonitor(swarm: Swarm, heartbeat: Heartbeat): Promise<void> {
  const { self, env, home } = swarm;
  const name = heartbeat.worker_name;
  const [program, ...args] = self;
  const options = { cwd: home, env: withoutWorkerMarks(env), detached: true, stdio: 'ignore' } as const;
  const child = spawn(program, [...args, 'heartbeat', 'monitor', name], options);
  await once(child, 'spawn');
  child.unref();
  const monitor = child.pid === undefined ? null : identify(child.pid);
  if (monitor !== null) writeFile(pathOf(swarm, name, 'monitor'), JSON.stringify(monitor), { mode: 0o600 });
  writeHeartbeat(swarm, { ...heartbeat, monitor_pid: monitor?.pid ?? null });
}

function endMonitor(swarm: Swarm, name: string): void {
  const monitor = livingMonitor(swarm, name);
  if (monitor !== null) process.kill(monitor.pid, 'SIGTERM');
  rmSync(pathOf(swarm, name, 'monitor'), { force: true });
}

function livingMonitor(swarm: Swarm, name: string): ProcessIdentity | null {
  const monitor = readOwnJson(pathOf(swarm, name, 'monitor')) as ProcessIdentity | null;
  return monitor !== null && isRunning(monitor) ? monitor : null;
}

/** How late a pause, a resume or the worker's end is noticed, at most. */
const LOOK_EVERY: Duration = 30_000;

/** Beats at the interval until the heartbeat expires, is stopped, or the worker is gone. */
export async function monitorHeartbeat(swarm: Swarm, name: string): Promise<void> {
  const first = readHeartbeat(swarm, name);
  if (first === null) return;
  const interval = first.interval_seconds * 1000;
  // The monotonic clock: adjusting the wall clock neither delays nor hurries a beat.
  let next = performance.now() + interval;
  for (;;) {
    const heartbeat = readHeartbeat(swarm, name);
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
      await beat(swarm, heartbeat, worker).catch((error: unknown) => {
        // If the worker ended while we typed, the next look notices it; any other error is a bug.
        if (!(error instanceof RalphError || error instanceof TmuxError)) throw error;
      });
    }
    await sleep(Math.max(0, Math.min(next - performance.now(), LOOK_EVERY, untilExpiry)));
  }
}

/** Skipped while the last message is still unread in the worker's input. */
async function beat(swarm: Swarm, heartbeat: Heartbeat, worker: WorkerRecord): Promise<void> {
  const pane = await paneOf(swarm, worker);
  const lastLine = (await pane.capture()).trimEnd().split('\n').at(-1);
  if (lastLine?.includes(heartbeat.message)) return;
  await sendText(pane, heartbeat.message, { raw: false, enter: true });
  const change = { last_beat_at: utcTimestamp(Date.now()), beat_count: heartbeat.beat_count + 1 };
  await changeHeartbeat(swarm, heartbeat, change);
}

/** Changes the file if it is still the heartbeat that the monitor was started for. */
function changeHeartbeat(swarm: Swarm, { worker_name, created_at }: Heartbeat, change: Partial<Heartbeat>) {
  return lockedHeartbeat(swarm, worker_name, () => {
    const now = readHeartbeat(swarm, worker_name);
    if (now !== null && now.created_at === created_at) writeHeartbeat(swarm, { ...now, ...change });
  });
}
