/** A heartbeat as its file holds it: `heartbeats/<worker>.json`. */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../../core/error.ts';
import { parseDuration } from '../../../core/text/duration.ts';
import type { Duration, Instant } from '../../../core/time.ts';
import { makeFolders } from '../../../process/files.ts';
import { writeProjection } from '../../../state/projection.ts';
import { type Home, heartbeatsFolder } from './home.ts';

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

export function readHeartbeat(home: Home, name: string): Heartbeat | null {
  try {
    return JSON.parse(readFileSync(pathOf(home, name), 'utf8')) as Heartbeat;
  } catch (error) {
    // A file that nobody can read says as much as none.
    if (errnoOf(error) === 'ENOENT' || error instanceof SyntaxError) return null;
    throw error;
  }
}

export function readHeartbeats(home: Home): Heartbeat[] {
  makeFolders(heartbeatsFolder(home), 0o700);
  const files = readdirSync(heartbeatsFolder(home)).filter((file) => file.endsWith('.json'));
  return files.sort().flatMap((file) => readHeartbeat(home, file.slice(0, -'.json'.length)) ?? []);
}

export function writeHeartbeat(home: Home, heartbeat: Heartbeat): void {
  makeFolders(heartbeatsFolder(home), 0o700);
  writeProjection(pathOf(home, heartbeat.worker_name), `${JSON.stringify(heartbeat, null, 2)}\n`);
}

export function removeHeartbeatFile(home: Home, name: string): void {
  rmSync(pathOf(home, name), { force: true });
}

export function isOn({ status }: Heartbeat): boolean {
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

function pathOf(home: Home, name: string): string {
  return join(heartbeatsFolder(home), `${name}.json`);
}
