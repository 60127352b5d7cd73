/** Declares `ralph bus` and its commands. */
import type { Command } from 'commander';
import { collect, count, declare, projectOption, rootOption, run } from '../task/arguments.ts';

const WHICH = `
The bus is that of --project, or of --project and --task; else the one that the folder is in, or the nearest above it.
An agent in a run posts to the bus of JRUN_MESSAGE_BUS first of all; to read, name the bus with flags.

Example:
  ralph bus`;

export function addBusCommands(bus: Command): void {
  bus.addHelpText('after', '\nExample:\n  ralph bus read --project my-project --follow');
  const post = 'Post a message; its body comes from --body or by a pipe.';
  declare(bus, 'post', post, `${WHICH} post --project my-project --type FACT --body "The tests pass."`)
    .option('--type <type>', 'the type of the message', 'INFO')
    .option('--body <text>', 'the text of the message (default: what is piped in)')
    .addOption(projectOption())
    .option('--task <id>', 'the task')
    .option('--run <id>', 'the run')
    .addOption(rootOption())
    .action(run(async () => (await import('./commands.ts')).postCommand));
  const example = `${WHICH} read --project my-project --tail 5 --type FACT --type ERROR`;
  declare(bus, 'read', 'Read the last messages.', example)
    .option('--tail <n>', 'how many; 0 for all', count, 20)
    .option('--follow', 'go on with those that come')
    .option('--type <type>', 'only this type; may be repeated', collect, [])
    .option('--json', 'one line of JSON a message')
    .addOption(projectOption())
    .option('--task <id>', 'the task')
    .addOption(rootOption())
    .action(run(async () => (await import('./commands.ts')).readCommand));
  const discover = 'Find the nearest message bus, in this folder or above it.';
  declare(bus, 'discover', discover, 'ralph bus discover --from .')
    .option('--from <dir>', 'look from this folder on')
    .action(run(async () => (await import('./commands.ts')).discoverCommand));
}
