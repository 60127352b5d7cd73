/** The flags of commands that run a loop: what is printed, and where. */
import { type Command, Option } from 'commander';

/** See OutputFlags. */
export function addOutputFlags(command: Command): Command {
  return command
    .addOption(
      new Option('-q, --quiet', 'print only verdicts, warnings, errors and the closing lines').conflicts('verbose'),
    )
    .addOption(new Option('--json', 'print events as JSON, one object per line').conflicts(['quiet', 'dryRun']));
}

export const DETACH = ['--detach', 'run in the background; return once the loop has started'] as const;
