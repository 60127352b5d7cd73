/** The flags about progress: what the prompt says about the work so far, and what to do if there is no progress. */
import { type Command, Option } from 'commander';
import { defined } from '../../../core/defined.ts';
import type { OnStuck } from '../../../core/progress/progress.ts';
import type { OnBlocked } from '../../../core/rules.ts';
import type { RunRequest } from '../../../loops/run/request.ts';

export interface ProgressFlags {
  readonly onBlocked?: OnBlocked;
  readonly onStuck?: OnStuck;
  readonly baseline?: boolean;
  readonly carryNotes?: boolean;
}

/** A group of `--help`. */
export const PROGRESS_FLAGS = ['on-stuck', 'on-blocked', 'baseline', 'no-baseline', 'carry-notes'];

const STUCK =
  'if the iterations make no progress: warn, end the loop, or pivot: first ask the agent once for a different plan';

export function addProgressFlags(command: Command): Command {
  const stuck = `${STUCK} (default: pivot; warn with -p and -f)`;
  return addCarryNotes(addOnBlocked(command))
    .addOption(new Option('--on-stuck <warn|pivot|end>', stuck).choices(['warn', 'pivot', 'end']))
    .option('--baseline', 'checks that are red before the first iteration do not count as long as they fail')
    .option('--no-baseline', 'do not run the checks before the first iteration');
}

function addCarryNotes(command: Command): Command {
  return command.option('--carry-notes', 'put a summary of the last iterations into each prompt');
}

/** For loop kinds whose seeds do not know these flags: by default, a loop that is stuck only warns. */
export function addSeedProgressFlags(command: Command): Command {
  return addCarryNotes(
    addOnBlocked(command).addOption(
      new Option('--on-stuck <warn|pivot|end>', `${STUCK} (default: warn)`).choices(['warn', 'pivot', 'end']),
    ),
  );
}

export const SEED_PROGRESS_FLAGS = ['on-stuck', 'on-blocked', 'carry-notes'];

const BLOCKED = 'when the agent asks you something: end the loop (the default), or wait for "ralph answer"';

function addOnBlocked(command: Command): Command {
  return command.addOption(new Option('--on-blocked <wait|end>', BLOCKED).choices(['wait', 'end']));
}

export function progressFrom({ onBlocked, onStuck, baseline, carryNotes }: ProgressFlags): Partial<RunRequest> {
  const use = baseline === undefined ? undefined : baseline ? ('excuse' as const) : ('off' as const);
  return defined({ onBlocked, onStuck, baseline: use, carryNotes });
}
