/** The flags about services that are limited or cannot be reached, for loops whose faults cost no iteration. */
import type { Command } from 'commander';
import { OUTAGE_BUDGET, type OutagePolicy } from '../../../core/faults/outage.ts';
import { durationLike } from '../values.ts';

export interface OutageFlags {
  readonly wait?: boolean;
  /** In milliseconds. */
  readonly outageBudget?: number;
}

export function addOutageFlags(command: Command): Command {
  const budget = 'wait at most this long in total for services that cannot be reached (default: 6h)';
  return command
    .option('--no-wait', "do not wait for an agent's usage limit: end with exit code 10")
    .option('--outage-budget <duration>', budget, durationLike('30m or 6h'));
}

export function outagesFrom({ wait = true, outageBudget = OUTAGE_BUDGET }: OutageFlags): Omit<OutagePolicy, 'unitMs'> {
  return { waits: wait, budgetMs: outageBudget };
}
