/** `swarm heartbeat`: nudges at intervals. */
import { formatDuration } from '../../core/text/duration.ts';
import {
  type Heartbeat,
  heartbeatNamed,
  nextBeat,
  parseBeatDuration,
  pauseHeartbeat,
  readHeartbeats,
  resumeHeartbeat,
  startHeartbeat,
  stopHeartbeat,
  utcTimestamp,
} from '../../loops/swarm/workers/heartbeat.ts';
import { columns } from '../../loops/swarm/workers/list.ts';
import { refused, type Swarm } from '../../loops/swarm/workers/swarm.ts';

const MINUTE = 60_000;

export async function heartbeatStart(
  swarm: Swarm,
  name: string,
  { message, force = false, ...flags }: { interval: string; expire?: string; message: string; force?: boolean },
): Promise<void> {
  const interval = parseBeatDuration(flags.interval);
  if (interval === null) throw refused(`invalid interval '${flags.interval}'`);
  const expire = flags.expire === undefined ? null : parseBeatDuration(flags.expire);
  if (flags.expire !== undefined && expire === null) throw refused(`invalid expire '${flags.expire}'`);
  await startHeartbeat(swarm, name, { interval, expire, message, force });
  if (interval < MINUTE) {
    swarm.warn(`swarm: warning: very short interval (${flags.interval}), consider using at least 1m`);
  }
  const end = expire === null ? 'no expiration' : `expires in ${formatDuration(expire)}`;
  swarm.say(`Heartbeat started for ${name} (every ${formatDuration(interval)}, ${end})`);
}

export async function heartbeatStop(swarm: Swarm, name: string): Promise<void> {
  const stopped = await stopHeartbeat(swarm, name);
  swarm.say(stopped ? `Heartbeat stopped for ${name}` : `No active heartbeat for ${name}`);
}

export async function heartbeatPause(swarm: Swarm, name: string): Promise<void> {
  await pauseHeartbeat(swarm, name);
  swarm.say(`Heartbeat paused for ${name}`);
}

export async function heartbeatResume(swarm: Swarm, name: string): Promise<void> {
  await resumeHeartbeat(swarm, name);
  swarm.say(`Heartbeat resumed for ${name}`);
}

export function heartbeatList(swarm: Swarm, { format }: { format: string }): void {
  const all = readHeartbeats(swarm.home);
  if (format === 'json') swarm.say(JSON.stringify(all, null, 2));
  else if (all.length === 0) swarm.say('No heartbeats found');
  else swarm.show(columns(['WORKER', 'INTERVAL', 'NEXT BEAT', 'EXPIRES', 'STATUS', 'BEATS'], all.map(row)));
}

export function heartbeatStatus(swarm: Swarm, name: string, { format }: { format: string }): void {
  const heartbeat = heartbeatNamed(swarm, name);
  const next = nextBeat(heartbeat);
  if (format === 'json') {
    const next_beat_at = next === null ? null : utcTimestamp(next);
    swarm.say(JSON.stringify({ ...heartbeat, next_beat_at }, null, 2));
    return;
  }
  const { expire_at, last_beat_at } = heartbeat;
  swarm.show(`Worker: ${heartbeat.worker_name}
Status: ${heartbeat.status}
Interval: ${formatDuration(heartbeat.interval_seconds * 1000)}
Message: ${heartbeat.message}
Created: ${heartbeat.created_at}
Expires: ${expire_at === null ? 'never' : `${expire_at} (${until(Date.parse(expire_at))})`}
Last beat: ${last_beat_at ?? 'none'}
Next beat: ${next === null ? '-' : until(next)}
Beat count: ${heartbeat.beat_count}
`);
}

function row(heartbeat: Heartbeat): string[] {
  const next = nextBeat(heartbeat);
  return [
    heartbeat.worker_name,
    formatDuration(heartbeat.interval_seconds * 1000),
    next === null ? '-' : until(next),
    heartbeat.expire_at === null ? 'never' : until(Date.parse(heartbeat.expire_at)),
    heartbeat.status,
    String(heartbeat.beat_count),
  ];
}

function until(instant: number): string {
  const left = instant - Date.now();
  return left <= 0 ? 'now' : formatDuration(left);
}
