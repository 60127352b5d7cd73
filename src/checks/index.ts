/** Performs a check by its kind. A new kind is one file here, one line in the table, and its part of `CheckSpec`. */
import type { Checked, CheckSpec } from '../core/check.ts';
import type { Exit } from '../core/outcome.ts';
import type { Duration } from '../core/time.ts';
import type { Host } from '../process/host.ts';
import { runCommandCheck } from './command.ts';

export interface CheckRun {
  readonly check: CheckSpec;
  readonly cwd: string;
  readonly folder: string;
  readonly mark: string;
  readonly extraEnv: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** The exit to report when it was ended for taking too long. */
  expired(): Exit | null;
  readonly grace: Duration;
}

/** Null when the check was ended before it could say anything. */
type RunCheck = (run: CheckRun, host: Host) => Promise<Checked | null>;

const CHECKS: Readonly<Record<CheckSpec['kind'], RunCheck>> = {
  command: runCommandCheck,
};

export const runCheck: RunCheck = (run, host) => CHECKS[run.check.kind](run, host);
