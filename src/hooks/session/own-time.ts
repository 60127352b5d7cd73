/** When this process began and how long it runs. (`performance` would load a module for it, 2 ms of every call.) */
import type { Duration, Instant } from '../../core/time.ts';

export function startedAt(): Instant {
  return Date.now() - runningFor();
}

export function runningFor(): Duration {
  return process.uptime() * 1000;
}
