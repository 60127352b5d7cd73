/** Performs a check by its kind. A new kind is one file here, one line in the table, and its part of `CheckSpec`. */
import type { Checked, CheckSpec } from '../core/check.ts';
import type { Exit } from '../core/outcome.ts';
import type { Duration } from '../core/time.ts';
import type { Host } from '../process/host.ts';
import { runCommandCheck } from './command.ts';

export interface CheckRun<Spec extends CheckSpec> {
  readonly check: Spec;
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
export type RunCheck<Spec extends CheckSpec> = (run: CheckRun<Spec>, host: Host) => Promise<Checked | null>;

const CHECKS: { readonly [Spec in CheckSpec as Spec['kind']]: RunCheck<Spec> } = {
  command: runCommandCheck,
};

export function runCheck(run: CheckRun<CheckSpec>, host: Host): Promise<Checked | null> {
  // The table has, for each kind, what takes a check of that kind.
  // oxlint-disable-next-line typescript/no-unnecessary-type-assertion -- with a second kind it is necessary
  const perform = CHECKS[run.check.kind] as RunCheck<CheckSpec>;
  return perform(run, host);
}
