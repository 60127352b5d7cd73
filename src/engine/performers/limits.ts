/** Limits that end a program that takes too long, or an agent that prints nothing for too long. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Exit } from '../../core/outcome.ts';
import type { Duration } from '../../core/time.ts';
import type { Transcript } from '../../runners/runner.ts';
import { awakeClock, mostBetween } from './awake-clock.ts';

export interface Limit {
  readonly signal: AbortSignal;
  /** The exit of a run that this limit ended; null if it did not. */
  expired(): Exit | null;
}

/** A timer holds 24 days; with a longer delay, Node would fire it at once. */
export const LONGEST_TIMER: Duration = 2 ** 31 - 1;

/** `AbortSignal.timeout` for any length of time. */
export function abortAfter(ms: Duration, longest: Duration = LONGEST_TIMER): AbortSignal {
  if (ms <= longest) return AbortSignal.timeout(ms);
  const ending = new AbortController();
  const end = (): void => ending.abort();
  const goOn = (): void => abortAfter(ms - longest, longest).addEventListener('abort', end);
  AbortSignal.timeout(longest).addEventListener('abort', goOn);
  return ending.signal;
}

/** The limit's signal also fires when the given one does. */
export function timeLimit(timeoutMs: Duration | null, signal: AbortSignal): Limit {
  if (timeoutMs === null) return { signal, expired: () => null };
  const clock = abortAfter(timeoutMs);
  return { signal: AbortSignal.any([signal, clock]), expired: () => expiry(clock, timeoutMs) };
}

const LOOK_AT_LEAST_EVERY: Duration = 250;
const LOOK_AT_MOST_EVERY: Duration = 50;

/** Checks the size of the files, not how much was read of them: the reader may be behind. */
export function idleLimit(
  { folder, stdout, stderr }: Transcript,
  idleMs: Duration | null,
  signal: AbortSignal,
): Limit & { close(): void } {
  if (idleMs === null) return { signal, expired: () => null, close: () => undefined };
  const files = [join(folder, stdout), join(folder, stderr)];
  const quiet = new AbortController();
  const looks = Math.min(LOOK_AT_LEAST_EVERY, Math.max(LOOK_AT_MOST_EVERY, idleMs / 4));
  const clock = awakeClock(mostBetween(looks));
  let size = sizeOf(files);
  let grewAt = clock();
  const look = (): void => {
    const now = clock();
    const next = sizeOf(files);
    if (next !== size) {
      size = next;
      grewAt = now;
    } else if (now - grewAt >= idleMs) {
      clearInterval(timer);
      quiet.abort();
    }
  };
  const timer = setInterval(look, looks);
  return {
    signal: AbortSignal.any([signal, quiet.signal]),
    expired: () => expiry(quiet.signal, idleMs),
    close: () => clearInterval(timer),
  };
}

function expiry({ aborted }: AbortSignal, afterMs: Duration): Exit | null {
  return aborted ? { by: 'timeout', afterMs } : null;
}

export interface LingerLimit {
  /** The agent has sent its last message. */
  finished(): void;
  close(): void;
}

/** For an agent that stays on after its last message: calls `lingers` when the time is up. */
export function lingerLimit(afterMs: Duration, lingers: () => void): LingerLimit {
  let timer: NodeJS.Timeout | undefined;
  return {
    finished: () => {
      timer ??= setTimeout(lingers, afterMs);
    },
    close: () => clearTimeout(timer),
  };
}

export function sizeOf(files: readonly string[]): number {
  return files.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
}
