/** Declares `ralph bus` and its commands. */
import type { Command } from 'commander';
import { declare } from '../program/declare.ts';
import { collect } from '../program/values.ts';
import { count, projectOption, rootOption, run } from '../task/arguments.ts';

const WHICH = `
The bus is that of --project, or of --project and --task; without flags, the one
of this folder or the nearest above it. An agent in a run posts to the bus that
JRUN_MESSAGE_BUS names; to read another one, name it with flags.

Example:
  ralph bus`;

export function addBusCommands(bus: Command): void {
  bus.addHelpText('after', '\nExample:\n  ralph bus read --project shop --follow');
  const post = 'Post a message; its text comes from --body or from stdin.';
  declare(bus, 'post', post, `${WHICH} post --project shop --type FACT --body "The tests pass."`)
    .option('--type <type>', 'type of the message', 'INFO')
    .option('--body <text>', 'text of the message (default: stdin)')
    .addOption(projectOption())
    .option('--task <id>', 'the task')
    .option('--run <id>', 'the run')
    .addOption(rootOption())
    .action(run(async () => (await import('./commands.ts')).postCommand));
  const example = `${WHICH} read --project shop --tail 5 --type FACT --type ERROR`;
  declare(bus, 'read', 'Read the last messages.', example)
    .option('--tail <n>', 'how many messages; 0 for all', count, 20)
    .option('--follow', 'keep printing new messages')
    .option('--type <type>', 'only messages of this type (repeatable)', collect, [])
    .option('--json', 'print every message as one line of JSON')
    .addOption(projectOption())
    .option('--task <id>', 'the task')
    .addOption(rootOption())
    .action(run(async () => (await import('./commands.ts')).readCommand));
  const discover = 'Find the nearest message bus, in this folder or above it.';
  declare(bus, 'discover', discover, 'ralph bus discover --from .')
    .option('--from <dir>', 'folder to start from (default: this one)')
    .action(run(async () => (await import('./commands.ts')).discoverCommand));
}
