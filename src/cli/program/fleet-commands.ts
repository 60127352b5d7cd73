/** Declares `ralph fleet`. */
import type { Command } from 'commander';
import type { FleetRunFlags, FleetWorkerFlags } from '../fleet.ts';
import { alsoCalled } from './alias.ts';
import { exitWith } from './declare.ts';
import { durationLike, positiveInteger } from './values.ts';

const FLEET_EXAMPLES = `Examples:
  ralph fleet worker --database postgres://localhost/fleet --slots 4
  ralph fleet run --database postgres://localhost/fleet -p "Fix the tests"`;

/** Experimental and hidden: a thin adapter; the fleet itself comes later. */
export function addFleet(program: Command): void {
  const fleet = program
    .command('fleet', { hidden: true })
    .addHelpText('after', FLEET_EXAMPLES)
    .description('Experimental: run loops on several machines that share a PostgreSQL database.');
  const command = (name: string, what: string): Command =>
    fleet
      .command(name)
      .description(what)
      .addHelpText('after', FLEET_EXAMPLES)
      .requiredOption('--database <url>', 'PostgreSQL database that the fleet shares');
  command('worker', 'Take loops from the queue and run their agents on this machine.')
    .option('--slots <n>', 'loops at once', positiveInteger, 1)
    .option('--lease <ms>', 'a worker without a heartbeat for this long is dead', positiveInteger, 4000)
    .option('--heartbeat <ms>', 'time between heartbeats', positiveInteger, 1000)
    .option('--poll <ms>', 'how often to look at the queue', positiveInteger, 500)
    .action(async (flags: FleetWorkerFlags) => exitWith((await import('../fleet.ts')).fleetWorkerCommand(flags)));
  const run = command('run', 'Have the fleet run a loop for this directory, and wait until it ends.')
    .requiredOption('-p, --prompt <text>', 'prompt for the agent')
    .option('--agent <name>', "agent to use (default: the settings')")
    .option('--model <name>', 'model for the agent')
    .option('-m, --maximum-iterations <n>', 'maximum iterations before stopping', positiveInteger)
    .option('--timeout <duration>', 'end an agent that runs this long, such as 30m', durationLike('90s or 30m'))
    .action(async (flags: FleetRunFlags) => exitWith((await import('../fleet.ts')).fleetRunCommand(flags)));
  alsoCalled(run, '--max-iterations <n>', '--maximum-iterations');
}
