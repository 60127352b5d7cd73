/**
 * Ends an agent that hangs: for a long time it prints nothing, its processes use next to no CPU, and they send and
 * receive nothing over TCP. A compiler uses CPU, and a model that thinks keeps its connection busy; a dead connection
 * does neither.
 */
import type { Duration } from '../../core/time.ts';
import type { Activity } from '../../process/activity.ts';
import { awakeClock, mostBetween } from './awake-clock.ts';

/** Of one core. */
const LEAST_CPU = 0.01;
const LOOK_EVERY: Duration = 60_000;

/** An agent as seen from outside. */
interface Seen {
  /** How much it has printed. */
  size(): number;
  /** What its processes do; while that is unknown (null), nothing counts as a hang. */
  look(): Promise<Activity | null>;
}

/** When to look, and by which clock; tests provide their own. */
export interface Looking {
  now(): number;
  /** Returns the function that stops it. */
  every(ms: Duration, look: () => void): () => void;
}

const BY_TIMER: Looking = {
  // For `performance`, Node would have to load a module.
  now: () => process.uptime() * 1000,
  every: (ms, look) => {
    const timer = setInterval(look, ms);
    return () => clearInterval(timer);
  },
};

/** Calls `hangs` once, unless it is closed before. */
export function hangLimit(
  afterMs: Duration | null,
  { size, look }: Seen,
  hangs: () => void,
  { now: time, every }: Looking = BY_TIMER,
): { close(): void } {
  if (afterMs === null) return { close: () => undefined };
  const looks = Math.max(20, Math.min(LOOK_EVERY, afterMs / 10));
  const clock = awakeClock(mostBetween(looks), time);
  let before: { readonly size: number; readonly at: number; readonly activity: Activity | null } | null = null;
  let isLooking = false;
  const check = async (): Promise<void> => {
    const printed = size();
    const now = clock();
    if (before?.size !== printed) {
      // What its processes do is measured from the next look on: most agents have printed something by then.
      before = { size: printed, at: now, activity: null };
      return;
    }
    const activity = await look();
    if (activity === null || before.activity === null || isActive(before.activity, activity, now - before.at)) {
      before = { size: printed, at: now, activity };
    } else if (now - before.at >= afterMs) {
      close();
      hangs();
    }
  };
  const close = every(looks, () => {
    if (isLooking) return;
    isLooking = true;
    void check().finally(() => {
      isLooking = false;
    });
  });
  return { close };
}

function isActive(before: Activity, now: Activity, passedMs: Duration): boolean {
  const isBusy = now.cpuMs - before.cpuMs >= passedMs * LEAST_CPU;
  return isBusy || now.tcpBytes !== before.tcpBytes || now.processes !== before.processes;
}
