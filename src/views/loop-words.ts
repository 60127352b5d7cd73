/** Formats times, places and figures of loops for lists: short, with one unit if one is enough. */
import { homedir } from 'node:os';
import { costText, type Usage } from '../core/budget/usage.ts';
import { isAtRest } from '../core/state.ts';
import type { Duration, Instant } from '../core/time.ts';
import type { ReadableLoop } from '../engine/store/loop-store.ts';

const UNITS: readonly (readonly [Duration, string])[] = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'm'],
  [1000, 's'],
];

/** `3m`, `2h`, `1d`: the largest unit. */
export function roughly(ms: Duration): string {
  const [unit, name] = UNITS.find(([size]) => ms >= size) ?? [1000, 's'];
  return `${Math.floor(Math.max(0, ms) / unit)}${name}`;
}

/** How long a supervisor has driven the loop, up to now if one still does. */
export function workedFor(loop: ReadableLoop, now: Instant): Duration {
  return loop.workedMs + (isTurned(loop) ? Math.max(0, now - loop.updatedAt) : 0);
}

/** A supervisor is driving the loop now: it is not paused, not waiting for its start time or for a service. */
export function isTurned(loop: ReadableLoop): boolean {
  const isOutage = loop.phase.at === 'wait' && loop.phase.for !== undefined;
  return loop.ending === null && loop.supervisor !== null && !isAtRest(loop) && !isOutage;
}

/** A loop for `--json`: without the fields that only ralph itself needs. */
export function loopData(given: ReadableLoop) {
  const { v: _v, journalBytes: _bytes, consumed: _consumed, told: _told, asked: _asked, task: _task, ...loop } = given;
  return loop;
}

/** `03:10` today, `Tue 03:10` on another day. */
export function shortClock(now: Instant): (at: Instant) => string {
  return (at) => {
    const date = new Date(at);
    const time = date.toTimeString().slice(0, 5);
    return date.toDateString() === new Date(now).toDateString() ? time : `${date.toDateString().slice(0, 3)} ${time}`;
  };
}

/** `.` for `cwd`, `~/demo` below the home folder. */
export function placeName(path: string, cwd: string, home = homedir()): string {
  if (path === cwd) return '.';
  return path === home || path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** `–` if the cost is not known, which is not zero. */
export function costWords(usage: Usage): string {
  const { costUsd } = knownUsage(usage);
  if (costUsd === null) return '–';
  return costText(costUsd, { isEstimated: usage.estimatedRuns !== undefined, isAtLeast: usage.runsWithoutCost > 0 });
}

/** The usage of a loop for programs: null for figures that no run reported. */
export function knownUsage(usage: Usage) {
  const { runs, costUsd, runsWithoutCost, inputTokens, outputTokens, runsWithoutTokens, toolCalls } = usage;
  const tellsTokens = runsWithoutTokens < runs;
  return {
    ...usage,
    costUsd: runsWithoutCost < runs ? costUsd : null,
    inputTokens: tellsTokens ? inputTokens : null,
    outputTokens: tellsTokens ? outputTokens : null,
    // An agent that prints plain text reports neither tokens nor tool calls: its 0 is not a count.
    toolCalls: tellsTokens || toolCalls > 0 ? toolCalls : null,
  };
}

/** `2/10`, or `2` if no limit is known. */
export function iterationWords({ iterations, about: { limit } }: ReadableLoop): string {
  return limit === null ? String(iterations) : `${iterations}/${limit}`;
}

/** `1.2 GB`, `340.2 MB`, `12 KB`. */
export function sizeWords(bytes: number): string {
  const [unit, name] = SIZES.find(([size]) => bytes >= size) ?? [1024, 'KB'];
  return `${(bytes / unit).toFixed(name === 'KB' ? 0 : 1)} ${name}`;
}

const SIZES: readonly (readonly [number, string])[] = [
  [1024 ** 3, 'GB'],
  [1024 ** 2, 'MB'],
];
