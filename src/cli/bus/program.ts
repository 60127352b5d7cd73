/** Declares `ralph bus` and its commands. */
import type { Command } from 'commander';
import { collect, count, type ExitWith, projectOption, rootOption, runIn } from '../task/arguments.ts';

const WHICH = `
The bus is that of --project, or of --project and --task; else the one that the folder is in, or the nearest above it.
An agent in a run posts to the bus of JRUN_MESSAGE_BUS first of all; whoever reads says with flags what to read.`;

export function addBusCommands(bus: Command, exitWith: ExitWith): void {
  const run = runIn(exitWith);
  bus.addHelpText('after', '\nExample:\n  ralph bus read --project my-project --follow');
  bus
    .command('post')
    .description('Post a message; its body comes from --body or by a pipe.')
    .option('--type <type>', 'the type of the message', 'INFO')
    .option('--body <text>', 'the text of the message (default: what is piped in)')
    .addOption(projectOption())
    .option('--task <id>', 'the task')
    .option('--run <id>', 'the run')
    .addOption(rootOption())
    .addHelpText(
      'after',
      `${WHICH}\n\nExample:\n  ralph bus post --project my-project --type FACT --body "The tests pass."`,
    )
    .action(run(async () => (await import('./commands.ts')).postCommand));
  bus
    .command('read')
    .description('Read the last messages.')
    .option('--tail <n>', 'how many; 0 for all', count, 20)
    .option('--follow', 'go on with those that come')
    .option('--type <type>', 'only this type; may be repeated', collect, [])
    .option('--json', 'one line of JSON a message')
    .addOption(projectOption())
    .option('--task <id>', 'the task')
    .addOption(rootOption())
    .addHelpText(
      'after',
      `${WHICH}\n\nExample:\n  ralph bus read --project my-project --tail 5 --type FACT --type ERROR`,
    )
    .action(run(async () => (await import('./commands.ts')).readCommand));
  bus
    .command('discover')
    .description('Find the nearest message bus, in this folder or above it.')
    .option('--from <dir>', 'look from this folder on')
    .addHelpText('after', '\nExample:\n  ralph bus discover --from .')
    .action(run(async () => (await import('./commands.ts')).discoverCommand));
}
