/** The commands of `swarm` and their flags; each command's code is loaded when it is called. */
import { type Command, Option } from 'commander';
import type { Swarm } from '../../loops/swarm/workers/swarm.ts';
import { addSandboxExec, addSandboxFlags } from '../sandbox-flags.ts';
import { collect, positiveInteger, type Run, seconds } from './arguments.ts';
import type { HeartbeatStartFlags } from './heartbeat.ts';
import type { InitFlags } from './init.ts';
import type { LogsFlags } from './logs.ts';
import { addRalphCommands } from './ralph/program.ts';
import type { SpawnFlags } from './spawn-request.ts';

type ExitWith = (code: Promise<number>) => Promise<void>;

export function addSwarmCommands(program: Command, exitWith: ExitWith, release: string): void {
  program.configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'swarm: error: ')) });
  // The options of a worker's command are its own.
  program.enablePositionalOptions();
  program.addHelpText('after', '\nExample:\n  swarm spawn --name agent --tmux -- claude\n  swarm attach agent');
  const run: Run = (command) => exitWith(inThisSwarm(command));
  addStarting(program, run, release);
  addRalphCommands(program, run, release);
  addWatching(program, run);
  addTalking(program, run);
  addEnding(program, run);
  addHeartbeat(program, run);
  addSandboxExec(program, exitWith);
  program
    .command('init')
    .description('Add instructions on swarm to the file that agents read in this project.')
    .option('--dry-run', 'say what would be done; change nothing')
    .addOption(new Option('--file <name>', 'the file (default: the one that is there)').choices(INSTRUCTION_FILES))
    .option('--force', 'replace the instructions that are there')
    .option('--with-sandbox', 'add scripts that run a loop in a container without access to the rest of the machine')
    .addHelpText('after', '\nExample:\n  swarm init --with-sandbox --dry-run')
    .action((flags: InitFlags) => run(async (swarm) => (await import('./init.ts')).initCommand(swarm, flags)));
}

const INSTRUCTION_FILES = ['AGENTS.md', 'CLAUDE.md'];

function addStarting(program: Command, run: Run, release: string): void {
  const spawn = program
    .command('spawn')
    .description('Start a worker: a background process, or with --tmux a window.')
    .requiredOption('--name <name>', 'the name of the worker')
    .option('--tmux', 'run in a tmux window')
    .option('--session <name>', 'the tmux session', 'swarm')
    .option('--tmux-socket <name>', 'the tmux server, by the name of its socket')
    .option('--worktree', 'work in a git worktree of its own')
    .option('--branch <name>', 'the branch of the worktree (default: the name)')
    .option('--worktree-dir <path>', 'the folder for worktrees (default: <repo>-worktrees beside the repository)')
    .option('--tag <tag>', 'a tag to filter by; may be repeated', collect, [])
    .option('--env <KEY=VAL>', 'an environment variable; may be repeated', collect, [])
    .option('--cwd <path>', 'the working directory')
    .option('--ready-wait', 'wait until the agent takes input (tmux only)')
    .option('--ready-timeout <seconds>', 'how long to wait for that (default: 120, in a loop 30)', seconds)
    .option('--ralph', 'start the agent again and again, each time fresh (implies --tmux)')
    .option('--prompt-file <path>', 'the prompt, read again for every iteration')
    .option('--max-iterations <n>', 'how often the agent is started at most', positiveInteger)
    .option('--inactivity-timeout <seconds>', 'start it again when its screen stands still', positiveInteger, 60)
    .option('--done-pattern <regex>', 'stop when its output matches')
    .addOption(new Option('--prompt-via <how>', 'how the prompt goes in').choices(['paste', 'stdin', 'arg']))
    .option('--detach', 'turn the loop in the background')
    .option('--dry-run', 'show the command line and what the sandbox would allow; start nothing')
    .argument('[command...]', 'the command, after --')
    .passThroughOptions();
  addSandboxFlags(spawn)
    .addHelpText(
      'after',
      '\nExample:\n  swarm spawn --name agent --tmux --worktree -- claude\n' +
        '  swarm spawn --name agent --ralph --prompt-file PROMPT.md --max-iterations 20 -- claude\n' +
        '  swarm spawn --name agent --tmux --sandbox=os --allow-host example.com -- claude',
    )
    .action((command: string[], flags: SpawnFlags) =>
      run(async (swarm) => (await import('./spawn.ts')).spawnCommand(swarm, command, flags, release)),
    );
  program
    .command('respawn')
    .description('Start a worker again as it was; one that runs is ended first.')
    .argument('<name>', 'the worker')
    .option('--clean-first', 'make its worktree anew')
    .option('--force-dirty', 'even when uncommitted work is lost')
    .addHelpText('after', '\nExample:\n  swarm respawn agent --clean-first')
    .action((name: string, flags: { cleanFirst?: boolean; forceDirty?: boolean }) =>
      run(async (swarm) => (await import('./respawn.ts')).respawnCommand(swarm, name, flags)),
    );
}

function addWatching(program: Command, run: Run): void {
  program
    .command('ls')
    .description('List the workers.')
    .addOption(new Option('--format <format>', 'how').choices(['table', 'json', 'names']).default('table'))
    .addOption(new Option('--status <status>', 'only these').choices(['running', 'stopped', 'all']).default('all'))
    .option('--tag <tag>', 'only those with this tag')
    .addHelpText('after', '\nExample:\n  swarm ls --status running --format names')
    .action((flags: ListFlags) => run(async (swarm) => (await import('./ls.ts')).lsCommand(swarm, flags)));
  program
    .command('status')
    .description('Tell whether a worker runs: exit code 0 running, 1 stopped, 2 not found.')
    .argument('<name>', 'the worker')
    .addHelpText('after', '\nExample:\n  swarm status agent')
    .action((name: string) => run(async (swarm) => (await import('./ls.ts')).statusCommand(swarm, name)));
  program
    .command('logs')
    .description('Show what a worker has printed.')
    .argument('<name>', 'the worker')
    .option('--history', 'what has scrolled off the screen too')
    .option('--lines <n>', 'how many lines of that', positiveInteger, 1000)
    .option('--follow', 'go on showing it')
    .addHelpText('after', '\nExample:\n  swarm logs agent --follow')
    .action((name: string, flags: LogsFlags) =>
      run(async (swarm) => (await import('./logs.ts')).logsCommand(swarm, name, flags)),
    );
  program
    .command('peek')
    .description('Show the last lines of the screen of a worker in tmux.')
    .argument('[name]', 'the worker')
    .option('-n, --lines <n>', 'how many lines', positiveInteger, 30)
    .option('--all', 'of all that run')
    .addHelpText('after', '\nExample:\n  swarm peek agent -n 5')
    .action((name: string | undefined, flags: { lines: number; all?: boolean }) =>
      run(async (swarm) => (await import('./peek.ts')).peekCommand(swarm, name, flags)),
    );
  program
    .command('attach')
    .description('Take over the terminal of a worker in tmux; detach with Ctrl-B D.')
    .argument('<name>', 'the worker')
    .addHelpText('after', '\nExample:\n  swarm attach agent')
    .action((name: string) => run(async (swarm) => (await import('./attach.ts')).attachCommand(swarm, name)));
  program
    .command('wait')
    .description('Wait until a worker has ended.')
    .argument('[name]', 'the worker')
    .option('--all', 'for all that run')
    .option('--timeout <seconds>', 'no longer than this', seconds)
    .addHelpText('after', '\nExample:\n  swarm wait --all --timeout 600')
    .action((name: string | undefined, flags: { all?: boolean; timeout?: number }) =>
      run(async (swarm) => (await import('./wait.ts')).waitCommand(swarm, name, flags)),
    );
}

function addTalking(program: Command, run: Run): void {
  program
    .command('send')
    .description('Type a text into a worker in tmux.')
    .usage('[options] [name] <text>')
    .argument('<words...>', 'the worker, and the text')
    .option('--no-enter', 'do not press Enter after it')
    .option('--raw', 'do not press Escape and Ctrl-U before it')
    .option('--all', 'into all that run')
    .addHelpText('after', '\nExample:\n  swarm send agent "run the tests again"')
    .action((words: string[], flags: { enter: boolean; raw?: boolean; all?: boolean }) =>
      run(async (swarm) => (await import('./send.ts')).sendCommand(swarm, words, flags)),
    );
  program
    .command('interrupt')
    .description('Press Ctrl-C in a worker in tmux.')
    .argument('[name]', 'the worker')
    .option('--all', 'in all that run')
    .addHelpText('after', '\nExample:\n  swarm interrupt agent')
    .action((name: string | undefined, flags: { all?: boolean }) =>
      run(async (swarm) => (await import('./send.ts')).interruptCommand(swarm, name, flags)),
    );
  program
    .command('eof')
    .description('Press Ctrl-D in a worker in tmux.')
    .argument('<name>', 'the worker')
    .addHelpText('after', '\nExample:\n  swarm eof agent')
    .action((name: string) => run(async (swarm) => (await import('./send.ts')).eofCommand(swarm, name)));
}

function addEnding(program: Command, run: Run): void {
  program
    .command('kill')
    .description('End a worker; its record stays.')
    .argument('[name]', 'the worker')
    .option('--all', 'all workers')
    .option('--rm-worktree', 'remove its worktree')
    .option('--force-dirty', 'even when uncommitted work is lost')
    .addHelpText('after', '\nExample:\n  swarm kill agent --rm-worktree')
    .action((name: string | undefined, flags: { all?: boolean; rmWorktree?: boolean; forceDirty?: boolean }) =>
      run(async (swarm) => (await import('./kill.ts')).killCommand(swarm, name, flags)),
    );
  program
    .command('clean')
    .description('Forget a stopped worker: its record, its logs and its worktree.')
    .argument('[name]', 'the worker')
    .option('--all', 'all stopped workers')
    .option('--rm-worktree', 'remove its worktree (the default)')
    .option('--no-rm-worktree', 'leave its worktree')
    .option('--force-dirty', 'even when uncommitted work is lost')
    .addHelpText('after', '\nExample:\n  swarm clean --all')
    .action((name: string | undefined, flags: { all?: boolean; rmWorktree?: boolean; forceDirty?: boolean }) =>
      run(async (swarm) => (await import('./clean.ts')).cleanCommand(swarm, name, flags)),
    );
}

function addHeartbeat(program: Command, run: Run): void {
  const heartbeat = program
    .command('heartbeat')
    .description('Nudge workers at intervals, so that they go on after a usage limit.')
    .addHelpText('after', '\nExample:\n  swarm heartbeat start agent --interval 4h --expire 24h');
  heartbeat
    .command('start')
    .description('Start the heartbeat of a worker in tmux.')
    .argument('<worker>', 'the worker')
    .requiredOption('--interval <duration>', 'time between beats: 4h, 30m, 90s, 3600, 1h30m')
    .option('--expire <duration>', 'stop after this time')
    .option('--message <text>', 'what is sent', 'continue')
    .option('--force', 'replace the one that is there')
    .action((name: string, flags: HeartbeatStartFlags) =>
      run(async (swarm) => (await import('./heartbeat.ts')).heartbeatStart(swarm, name, flags)),
    );
  const format = (): Option => new Option('--format <format>', 'how').choices(['table', 'json']).default('table');
  heartbeat
    .command('list')
    .alias('ls')
    .description('List all heartbeats.')
    .addOption(format())
    .action((flags: { format: string }) =>
      run(async (swarm) => (await import('./heartbeat.ts')).heartbeatList(swarm, flags)),
    );
  heartbeat
    .command('status')
    .description('Show one heartbeat.')
    .argument('<worker>', 'the worker')
    .addOption(format())
    .action((name: string, flags: { format: string }) =>
      run(async (swarm) => (await import('./heartbeat.ts')).heartbeatStatus(swarm, name, flags)),
    );
  for (const [verb, what] of [
    ['stop', 'Stop the heartbeat of a worker.'],
    ['pause', 'Pause the heartbeat of a worker.'],
    ['resume', 'Go on with a paused heartbeat.'],
  ] as const) {
    heartbeat
      .command(verb)
      .description(what)
      .argument('<worker>', 'the worker')
      .action((name: string) =>
        run(async (swarm) => (await import('./heartbeat.ts')).heartbeatChange(swarm, name, verb)),
      );
  }
  heartbeat
    .command('monitor', { hidden: true })
    .argument('<worker>')
    .action((name: string) =>
      run(async (swarm) => {
        await (await import('../../loops/swarm/workers/heartbeat-monitor.ts')).monitorHeartbeat(swarm, name);
        return 0;
      }),
    );
}

export interface ListFlags {
  readonly format: 'table' | 'json' | 'names';
  readonly status: 'running' | 'stopped' | 'all';
  readonly tag?: string;
}

async function inThisSwarm(command: (swarm: Swarm) => Promise<number>): Promise<number> {
  const { runInSwarm } = await import('./run.ts');
  return runInSwarm(command);
}
