/** The background side of a heartbeat: beats at its interval until it expires, is stopped, or the worker is gone. */
import { setTimeout as sleep } from 'node:timers/promises';
import { RalphError } from '../../../core/error.ts';
import type { Duration } from '../../../core/time.ts';
import { TmuxError } from '../../../tmux/command.ts';
import { changeHeartbeat } from './heartbeat.ts';
import { type Heartbeat, isOn, readHeartbeat, utcTimestamp } from './heartbeat-record.ts';
import { isWorkerAlive, paneOf } from './life.ts';
import type { WorkerRecord } from './record.ts';
import { findWorker } from './registry.ts';
import { sendText } from './send.ts';
import type { Swarm } from './swarm.ts';

/** How late a pause, a resume or the worker's end is noticed at most. */
const LOOK_EVERY: Duration = 30_000;

export async function monitorHeartbeat(swarm: Swarm, name: string): Promise<void> {
  const first = readHeartbeat(swarm.home, name);
  if (first === null) return;
  const interval = first.interval_seconds * 1000;
  // By the monotonic clock: a changed wall clock neither holds a beat back nor hurries it.
  let next = performance.now() + interval;
  for (;;) {
    const heartbeat = readHeartbeat(swarm.home, name);
    if (heartbeat === null || heartbeat.created_at !== first.created_at || !isOn(heartbeat)) return;
    if (isExpired(heartbeat)) return changeHeartbeat(swarm, heartbeat, { status: 'expired', monitor_pid: null });
    const worker = findWorker(swarm, name);
    if (worker === undefined || !isWorkerAlive(swarm, worker)) {
      return changeHeartbeat(swarm, heartbeat, { status: 'stopped', monitor_pid: null });
    }
    if (heartbeat.status === 'paused') next = performance.now() + Math.min(interval, LOOK_EVERY);
    else if (performance.now() >= next) {
      next += interval;
      await beat(swarm, heartbeat, worker).catch(workerMayHaveEnded);
    }
    await sleep(Math.max(0, Math.min(next - performance.now(), LOOK_EVERY, untilExpiry(heartbeat))));
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

function isExpired(heartbeat: Heartbeat): boolean {
  return untilExpiry(heartbeat) <= 0;
}

function untilExpiry({ expire_at }: Heartbeat): Duration {
  return expire_at === null ? Number.POSITIVE_INFINITY : Date.parse(expire_at) - Date.now();
}
