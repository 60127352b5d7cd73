/** `swarm heartbeat`: nudges at intervals. */
import { formatDuration } from '../../core/text/duration.ts';
import { pauseHeartbeat, resumeHeartbeat, startHeartbeat, stopHeartbeat } from '../../loops/swarm/workers/heartbeat.ts';
import {
  type Heartbeat,
  nextBeat,
  parseBeatDuration,
  readHeartbeat,
  readHeartbeats,
  utcTimestamp,
} from '../../loops/swarm/workers/heartbeat-record.ts';
import { columns } from '../../loops/swarm/workers/list.ts';
import { refused, type Swarm } from '../../loops/swarm/workers/swarm.ts';

export interface HeartbeatStartFlags {
  readonly interval: string;
  readonly expire?: string;
  readonly message: string;
  readonly force?: boolean;
}

const MINUTE = 60_000;

export async function heartbeatStart(swarm: Swarm, name: string, flags: HeartbeatStartFlags): Promise<number> {
  const interval = parseBeatDuration(flags.interval);
  if (interval === null) throw refused(`invalid interval '${flags.interval}'`);
  const expire = flags.expire === undefined ? null : parseBeatDuration(flags.expire);
  if (flags.expire !== undefined && expire === null) throw refused(`invalid expire '${flags.expire}'`);
  await startHeartbeat(swarm, { name, interval, expire, message: flags.message, force: flags.force ?? false });
  if (interval < MINUTE) {
    swarm.warn(`swarm: warning: very short interval (${flags.interval}), consider using at least 1m`);
  }
  const end = expire === null ? 'no expiration' : `expires in ${formatDuration(expire)}`;
  swarm.say(`Heartbeat started for ${name} (every ${formatDuration(interval)}, ${end})`);
  return 0;
}

export async function heartbeatChange(swarm: Swarm, name: string, verb: 'stop' | 'pause' | 'resume'): Promise<number> {
  switch (verb) {
    case 'stop': {
      const stopped = await stopHeartbeat(swarm, name);
      swarm.say(stopped ? `Heartbeat stopped for ${name}` : `No active heartbeat for ${name}`);
      return 0;
    }
    case 'pause':
      await pauseHeartbeat(swarm, name);
      swarm.say(`Heartbeat paused for ${name}`);
      return 0;
    case 'resume':
      await resumeHeartbeat(swarm, name);
      swarm.say(`Heartbeat resumed for ${name}`);
      return 0;
  }
}

export function heartbeatList(swarm: Swarm, { format }: { format: string }): Promise<number> {
  const all = readHeartbeats(swarm.home);
  if (format === 'json') swarm.say(JSON.stringify(all, null, 2));
  else if (all.length === 0) swarm.say('No heartbeats found');
  else swarm.show(columns(['WORKER', 'INTERVAL', 'NEXT BEAT', 'EXPIRES', 'STATUS', 'BEATS'], all.map(row)));
  return Promise.resolve(0);
}

export function heartbeatStatus(swarm: Swarm, name: string, { format }: { format: string }): Promise<number> {
  const heartbeat = readHeartbeat(swarm.home, name);
  if (heartbeat === null) throw refused(`no heartbeat found for ${name}`);
  const next = nextBeat(heartbeat);
  if (format === 'json') {
    const next_beat_at = next === null ? null : utcTimestamp(next);
    swarm.say(JSON.stringify({ ...heartbeat, next_beat_at }, null, 2));
    return Promise.resolve(0);
  }
  const { expire_at, last_beat_at } = heartbeat;
  swarm.say(`Worker: ${heartbeat.worker_name}`);
  swarm.say(`Status: ${heartbeat.status}`);
  swarm.say(`Interval: ${formatDuration(heartbeat.interval_seconds * 1000)}`);
  swarm.say(`Message: ${heartbeat.message}`);
  swarm.say(`Created: ${heartbeat.created_at}`);
  swarm.say(`Expires: ${expire_at === null ? 'never' : `${expire_at} (${until(Date.parse(expire_at))})`}`);
  swarm.say(`Last beat: ${last_beat_at ?? 'none'}`);
  swarm.say(`Next beat: ${next === null ? '-' : until(next)}`);
  swarm.say(`Beat count: ${heartbeat.beat_count}`);
  return Promise.resolve(0);
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
