/** What the performers of this machine share. */
import type { Exit } from '../../core/outcome.ts';
import type { Result } from '../../core/record.ts';
import type { Duration, Instant } from '../../core/time.ts';
import type { Host } from '../../process/host.ts';
import type { Runner } from '../../runners/runner.ts';
import type { RunArtifacts } from './run-artifacts.ts';

export interface LocalPerformers {
  readonly loop: { readonly id: string; readonly folder: string };
  readonly cwd: string;
  readonly host: Host;
  readonly runner: Runner;
  /** How long a program has between SIGTERM and SIGKILL. */
  readonly grace: Duration;
  readonly now: () => Instant;
  readonly artifacts?: RunArtifacts;
  /** What a person does about an agent that cannot be started. */
  readonly choosingHint?: string;
  /** Prompts go in by stdin, also where an argument would do. */
  readonly promptsOnStdin?: boolean;
}

export const INTERRUPTED: Result = { kind: 'interrupted', reason: 'cancelled' };

/** Tells a program which run of which loop it is. */
export function keyEnvironment(loop: string, key: string, attempt: number): Record<string, string> {
  return { RALPH_LOOP: loop, RALPH_KEY: key, RALPH_ATTEMPT: String(attempt) };
}

/** Unique to one start of one run, on any machine. */
export function markOf(loop: string, key: string, attempt: number): string {
  return `${loop}/${key}#${attempt}`;
}

const LONGEST_TIMER: Duration = 2 ** 31 - 1;

export interface TimeLimit {
  /** Fires when the time is up, too. */
  readonly signal: AbortSignal;
  /** The exit that a run has that was ended because its time was up. */
  expired(): Exit | null;
}

export function timeLimit(timeoutMs: Duration | null, signal: AbortSignal): TimeLimit {
  if (timeoutMs === null) return { signal, expired: () => null };
  // A timer holds 24 days; who asks for more does not mean to be cut off after none.
  const clock = AbortSignal.timeout(Math.min(timeoutMs, LONGEST_TIMER));
  const expired = (): Exit | null => (clock.aborted ? { by: 'timeout', afterMs: timeoutMs } : null);
  return { signal: AbortSignal.any([signal, clock]), expired };
}
