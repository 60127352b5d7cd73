/** The flags about getting on: what a loop does when its agent is blocked, and what it tells the next iteration. */
import { type Command, Option } from 'commander';
import { defined } from '../../core/defined.ts';
import type { OnBlocked, RunRequest } from '../../loops/run/request.ts';

export interface ProgressFlags {
  readonly onBlocked?: OnBlocked;
}

/** A group of `--help`. */
export const PROGRESS_FLAGS = ['on-blocked'];

export function addProgressFlags(command: Command): Command {
  return command.addOption(
    new Option('--on-blocked <what>', 'when the agent asks you something: end the loop, or wait for "ralph answer"')
      .choices(['wait', 'end'])
      .default(undefined, 'end'),
  );
}

export function progressFrom({ onBlocked }: ProgressFlags): Partial<Pick<RunRequest, 'onBlocked'>> {
  return defined({ onBlocked });
}
