/** The commands of `swarm ralph` and their flags; each command's code is loaded when it is called. */
import { type Command, Option } from 'commander';
import { positiveInteger, type Run } from '../arguments.ts';
import type { ListFlags } from './status.ts';

export function addRalphCommands(program: Command, run: Run, release: string): void {
  const ralph = program
    .command('ralph')
    .description('Loops: an agent that is started again and again, each time fresh.');
  ralph
    .command('init')
    .description('Create PROMPT.md in this directory, to start from.')
    .option('--force', 'overwrite the file that is there')
    .addHelpText('after', '\nExample:\n  swarm ralph init && $EDITOR PROMPT.md')
    .action(({ force = false }: { force?: boolean }) =>
      run(async (swarm) => (await import('./init.ts')).initPrompt({ force }, swarm)),
    );
  ralph
    .command('template')
    .description('Print that prompt.')
    .addHelpText('after', '\nExample:\n  swarm ralph template > BUILD_PROMPT.md')
    .action(() => run(async (swarm) => (await import('./init.ts')).printTemplate(swarm)));
  addWatching(ralph, run);
  addSteering(ralph, run, release);
}

function addWatching(ralph: Command, run: Run): void {
  ralph
    .command('status')
    .description('Show how far a loop is.')
    .argument('<name>', 'the worker')
    .addHelpText('after', '\nExample:\n  swarm ralph status agent')
    .action((name: string) => run(async (swarm) => (await import('./status.ts')).showStatus(name, swarm)));
  ralph
    .command('list')
    .alias('ls')
    .description('List the loops.')
    .addOption(new Option('--format <format>', 'how').choices(['table', 'json', 'names']).default('table'))
    .addOption(
      new Option('--status <status>', 'only these')
        .choices(['all', 'running', 'paused', 'stopped', 'failed'])
        .default('all'),
    )
    .addHelpText('after', '\nExample:\n  swarm ralph list --status running')
    .action((flags: ListFlags) => run(async (swarm) => (await import('./list.ts')).listCommand(flags, swarm)));
  ralph
    .command('logs')
    .description('Show when iterations began and how they ended.')
    .argument('<name>', 'the worker')
    .option('--lines <n>', 'only the last lines', positiveInteger)
    .option('--live', 'go on showing it')
    .addHelpText('after', '\nExample:\n  swarm ralph logs agent --live')
    .action((name: string, flags: { lines?: number; live?: boolean }) =>
      run(async (swarm) => (await import('./iterations.ts')).iterationsCommand(name, flags, swarm)),
    );
}

function addSteering(ralph: Command, run: Run, release: string): void {
  ralph
    .command('pause')
    .description('Let the agent that runs finish, and start no other.')
    .argument('<name>', 'the worker')
    .addHelpText('after', '\nExample:\n  swarm ralph pause agent')
    .action((name: string) => run(async (swarm) => (await import('./steer.ts')).pauseCommand(name, swarm)));
  ralph
    .command('resume')
    .description('Continue a loop that is paused, failed or at its limit, or whose supervisor has died.')
    .argument('<name>', 'the worker')
    .option('-m, --max-iterations <n>', 'set a new limit', positiveInteger)
    .addHelpText('after', '\nExample:\n  swarm ralph resume agent --max-iterations 40')
    .action((name: string, flags: { maxIterations?: number }) =>
      run(async (swarm) => (await import('./steer.ts')).resumeCommand(name, flags, swarm)),
    );
  ralph
    .command('run')
    .description('Turn a loop in the foreground whose supervisor has gone.')
    .argument('<name>', 'the worker')
    .addHelpText('after', '\nExample:\n  swarm ralph run agent')
    .action((name: string) => run(async (swarm) => (await import('./run.ts')).runLoop(swarm, name, release)));
  ralph
    .command('clean')
    .description('Remove the state of a loop.')
    .argument('[name]', 'the worker')
    .option('--all', 'of all loops')
    .addHelpText('after', '\nExample:\n  swarm ralph clean agent')
    .action((name: string | undefined, { all = false }: { all?: boolean }) =>
      run(async (swarm) => (await import('./clean.ts')).cleanCommand(name, all, swarm)),
    );
}
