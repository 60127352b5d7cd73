/** How one run of an agent ended: `worked` and `failed` are the work's own, everything else is a fault from outside. */
import { formatDuration } from './text/duration.ts';
import { linesOf } from './text/lines-of.ts';
import type { Duration, Instant } from './time.ts';

/** How a process ended. Death by signal is never exit code 0. `unseen`: it ended while no supervisor was running. */
export type Exit =
  | { readonly by: 'code'; readonly code: number }
  | { readonly by: 'signal'; readonly signal: string }
  | { readonly by: 'timeout'; readonly afterMs: Duration }
  /** `wasRunning`: the next supervisor found it running and ended it. */
  | { readonly by: 'unseen'; readonly wasRunning?: true };

/** From what Node reports when a child process ends. */
export function exitOfChild(code: number | null, signal: string | null): Exit {
  return code === null ? { by: 'signal', signal: signal ?? 'unknown' } : { by: 'code', code };
}

export type Outcome =
  | { readonly kind: 'worked' }
  /** `reason`: given if the exit alone does not explain the failure. */
  | { readonly kind: 'failed'; readonly exit: Exit; readonly reason?: string }
  | { readonly kind: 'limit'; readonly reason: string; readonly resetAt: Instant | null }
  | { readonly kind: FaultKind; readonly reason: string };

/** The outcomes that an agent itself can report as keeping it from its work. */
export type Fault = Extract<Outcome, { kind: 'limit' } | { kind: FaultKind }>;

type FaultKind = 'infrastructure' | 'auth' | 'hang' | 'blocked' | 'tampered' | 'interrupted';

/** `exit 2: error: unknown option '--frobnicate'`. `complaint`: what it printed on stderr. */
export function describeFailure({ outcome, complaint }: { outcome: Outcome; complaint?: string }): string {
  if (outcome.kind === 'worked') return '';
  if (outcome.kind !== 'failed') return outcome.reason;
  return linesOf(describeExit(outcome.exit), outcome.reason ?? complaint).join(': ');
}

export function describeExit(exit: Exit): string {
  if (exit.by === 'code') return `exit ${exit.code}`;
  if (exit.by === 'signal') return `signal ${exit.signal}`;
  return exit.by === 'timeout' ? `timed out after ${formatDuration(exit.afterMs)}` : 'ended unseen';
}

/** The number a shell would show for this exit. */
export function exitNumber(exit: Exit): number {
  if (exit.by === 'code') return exit.code;
  if (exit.by === 'signal') return 128 + (SIGNAL_NUMBERS[exit.signal] ?? 0);
  // As timeout(1) exits.
  return exit.by === 'timeout' ? 124 : 255;
}

const SIGNAL_NUMBERS: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGABRT: 6,
  SIGFPE: 8,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGALRM: 14,
  SIGTERM: 15,
};
