/** The commands of `swarm ralph` and their flags. */
import type { Command } from 'commander';
import { positiveInteger } from '../../arguments.ts';
import { type Calls, choice, declare } from '../declare.ts';

export function addRalphCommands(program: Command, calls: Calls): void {
  const ralph = declare(program, 'ralph', 'Loops: an agent that is started again and again, each time fresh.');
  addWriting(ralph, calls);
  addWatching(ralph, calls);
  addSteering(ralph, calls);
}

function addWriting(ralph: Command, calls: Calls): void {
  const load = () => import('./files.ts');
  const what = 'Create PROMPT.md in this directory, to start from.';
  declare(ralph, 'init', what, 'swarm ralph init && $EDITOR PROMPT.md')
    .option('--force', 'overwrite the file that is there')
    .action(calls(load, (code) => code.initPrompt));
  declare(ralph, 'template', 'Print that prompt.', 'swarm ralph template > BUILD_PROMPT.md').action(
    calls(load, (code) => code.printTemplate),
  );
}

function addWatching(ralph: Command, calls: Calls): void {
  const load = () => import('./status.ts');
  declare(ralph, 'status <name>', 'Show how far a loop is.', 'swarm ralph status agent').action(
    calls(load, (code) => code.showStatus),
  );
  declare(ralph, 'list', 'List the loops.', 'swarm ralph list --status running')
    .alias('ls')
    .addOption(choice('--format <format>', 'how', ['table', 'json', 'names']))
    .addOption(choice('--status <status>', 'only these', ['all', 'running', 'paused', 'stopped', 'failed']))
    .action(calls(load, (code) => code.listLoops));
  declare(ralph, 'logs <name>', 'Show when iterations began and how they ended.', 'swarm ralph logs agent --live')
    .option('--lines <n>', 'only the last lines', positiveInteger)
    .option('--live', 'go on showing it')
    .action(calls(load, (code) => code.showIterations));
}

function addSteering(ralph: Command, calls: Calls): void {
  const load = () => import('../../../loops/swarm/ralph/worker.ts');
  declare(
    ralph,
    'pause <name>',
    'Let the agent that runs finish, and start no other.',
    'swarm ralph pause agent',
  ).action(calls(load, (code) => code.pauseLoop));
  const what = 'Continue a loop that is paused, failed or at its limit, or whose supervisor has died.';
  declare(ralph, 'resume <name>', what, 'swarm ralph resume agent --max-iterations 40')
    .option('-m, --max-iterations <n>', 'set a new limit', positiveInteger)
    .action(calls(load, (code) => code.resumeLoop));
  const run = 'Turn a loop in the foreground whose supervisor has gone.';
  declare(ralph, 'run <name>', run, 'swarm ralph run agent').action(
    calls(
      () => import('./run.ts'),
      (code) => code.runLoop,
    ),
  );
  declare(ralph, 'clean [name]', 'Remove the state of a loop.', 'swarm ralph clean agent')
    .option('--all', 'of all loops')
    .action(
      calls(
        () => import('./files.ts'),
        (code) => code.cleanLoops,
      ),
    );
}
