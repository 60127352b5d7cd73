/** The commands of `swarm` and their flags. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Swarm } from '../../loops/swarm/workers/swarm.ts';
import { exitWith, positiveInteger } from '../arguments.ts';
import { addSandboxExec, addSandboxFlags } from '../sandbox-flags.ts';
import { collect } from '../task/arguments.ts';

export function addSwarmCommands(program: Command): void {
  program.configureOutput({ outputError: (text, write) => write(text.replace(/^error: /, 'swarm: error: ')) });
  // The options of a worker's command are its own.
  program.enablePositionalOptions();
  program.addHelpText('after', '\nExample:\n  swarm spawn --name agent --tmux -- claude\n  swarm attach agent');
  addStarting(program);
  addRalph(program);
  addWatching(program);
  addTalking(program);
  addEnding(program);
  addHeartbeat(program);
  addSandboxExec(program);
  const what = 'Add instructions on swarm to the file that agents read in this project.';
  declare(program, 'init', what, 'swarm init --with-sandbox --dry-run')
    .option('--dry-run', 'say what would be done; change nothing')
    .addOption(new Option('--file <name>', 'the file (default: the one that is there)').choices(INSTRUCTION_FILES))
    .option('--force', 'replace the instructions that are there')
    .option('--with-sandbox', 'add scripts that run a loop in a container without access to the rest of the machine')
    .action(calls(() => import('./init.ts'), 'initCommand'));
}

/** A command's code, loaded when it is called, takes the swarm and what commander has read; it returns a code, or none. */
function calls<Name extends string, Module extends Record<Name, (swarm: Swarm, ...args: never[]) => unknown>>(
  load: () => Promise<Module>,
  name: Name,
) {
  return async (...args: unknown[]): Promise<void> => {
    const [{ runInSwarm }, module] = await Promise.all([import('./context.ts'), load()]);
    return exitWith(runInSwarm((swarm) => module[name](swarm, ...(args as never[]))));
  };
}

/** `usage` is the command's name and, behind it, the worker that it is about: `<name>` or `[name]`. */
function declare(parent: Command, usage: string, description: string, example?: string): Command {
  const [name = '', worker] = usage.split(' ');
  const command = parent.command(name).description(description);
  if (worker !== undefined) command.argument(worker, 'the worker');
  return example === undefined ? command : command.addHelpText('after', `\nExample:\n  ${example}`);
}

function choice(flags: string, description: string, choices: readonly string[], chosen = choices[0]): Option {
  return new Option(flags, description).choices([...choices]).default(chosen);
}

function seconds(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number) || number < 0) {
    throw new InvalidArgumentError('It must be a number of seconds.');
  }
  return number;
}

const INSTRUCTION_FILES = ['AGENTS.md', 'CLAUDE.md'];

const SPAWN_EXAMPLES = `swarm spawn --name agent --tmux --worktree -- claude
  swarm spawn --name agent --ralph --prompt-file PROMPT.md --max-iterations 20 -- claude
  swarm spawn --name agent --tmux --sandbox=os --allow-host example.com -- claude`;

function addStarting(program: Command): void {
  const what = 'Start a worker: a background process, or with --tmux a window.';
  const spawn = declare(program, 'spawn', what, SPAWN_EXAMPLES)
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
  addSandboxFlags(spawn).action(calls(() => import('./spawn.ts'), 'spawnCommand'));
  const again = 'Start a worker again as it was; one that runs is ended first.';
  declare(program, 'respawn <name>', again, 'swarm respawn agent --clean-first')
    .option('--clean-first', 'create its worktree again')
    .option('--force-dirty', 'even when uncommitted work is lost')
    .action(calls(() => import('../../loops/swarm/workers/spawn.ts'), 'respawnWorker'));
}

function addRalph(program: Command): void {
  const files = () => import('./ralph/files.ts');
  const control = () => import('../../loops/swarm/ralph/worker.ts');
  const ralph = declare(program, 'ralph', 'Loops: an agent that is started again and again, each time fresh.');
  const begin = 'Create PROMPT.md in this directory, to start from.';
  declare(ralph, 'init', begin, 'swarm ralph init && $EDITOR PROMPT.md')
    .option('--force', 'overwrite the file that is there')
    .action(calls(files, 'initPrompt'));
  const template = declare(ralph, 'template', 'Print that prompt.', 'swarm ralph template > BUILD_PROMPT.md');
  template.action(calls(files, 'printTemplate'));
  const status = declare(ralph, 'status <name>', 'Show how far a loop is.', 'swarm ralph status agent');
  status.action(calls(files, 'showStatus'));
  declare(ralph, 'list', 'List the loops.', 'swarm ralph list --status running')
    .alias('ls')
    .addOption(choice('--format <format>', 'how', ['table', 'json', 'names']))
    .addOption(choice('--status <status>', 'only these', ['all', 'running', 'paused', 'stopped', 'failed']))
    .action(calls(files, 'listLoops'));
  declare(ralph, 'logs <name>', 'Show when iterations began and how they ended.', 'swarm ralph logs agent --live')
    .option('--lines <n>', 'only the last lines', positiveInteger)
    .option('--live', 'go on showing it')
    .action(calls(files, 'showIterations'));
  const pause = 'Let the agent that runs finish, and start no other.';
  declare(ralph, 'pause <name>', pause, 'swarm ralph pause agent').action(calls(control, 'pauseLoop'));
  const resume = 'Continue a loop that is paused, failed or at its limit, or whose supervisor has died.';
  declare(ralph, 'resume <name>', resume, 'swarm ralph resume agent --max-iterations 40')
    .option('-m, --max-iterations <n>', 'set a new limit', positiveInteger)
    .action(calls(control, 'resumeLoop'));
  const run = 'Turn a loop in the foreground whose supervisor has gone.';
  declare(ralph, 'run <name>', run, 'swarm ralph run agent').action(calls(() => import('./ralph/run.ts'), 'runLoop'));
  declare(ralph, 'clean [name]', 'Remove the state of a loop.', 'swarm ralph clean agent')
    .option('--all', 'of all loops')
    .action(calls(files, 'cleanLoops'));
}

function addWatching(program: Command): void {
  const list = () => import('./list.ts');
  const panes = () => import('./panes.ts');
  declare(program, 'ls', 'List the workers.', 'swarm ls --status running --format names')
    .addOption(choice('--format <format>', 'how', ['table', 'json', 'names']))
    .addOption(choice('--status <status>', 'only these', ['running', 'stopped', 'all'], 'all'))
    .option('--tag <tag>', 'only those with this tag')
    .action(calls(list, 'lsCommand'));
  const whether = 'Tell whether a worker runs: exit code 0 running, 1 stopped, 2 not found.';
  declare(program, 'status <name>', whether, 'swarm status agent').action(calls(list, 'statusCommand'));
  declare(program, 'logs <name>', 'Show what a worker has printed.', 'swarm logs agent --follow')
    .option('--history', 'what has scrolled off the screen too')
    .option('--lines <n>', 'how many lines of that', positiveInteger, 1000)
    .option('--follow', 'go on showing it')
    .action(calls(panes, 'logsCommand'));
  declare(program, 'peek [name]', 'Show the last lines of the screen of a worker in tmux.', 'swarm peek agent -n 5')
    .option('-n, --lines <n>', 'how many lines', positiveInteger, 30)
    .option('--all', 'of all that run')
    .action(calls(panes, 'peekCommand'));
  const terminal = 'Take over the terminal of a worker in tmux; detach with Ctrl-B D.';
  declare(program, 'attach <name>', terminal, 'swarm attach agent').action(calls(panes, 'attachCommand'));
  declare(program, 'wait [name]', 'Wait until a worker has ended.', 'swarm wait --all --timeout 600')
    .option('--all', 'for all that run')
    .option('--timeout <seconds>', 'no longer than this', seconds)
    .action(calls(list, 'waitCommand'));
}

function addTalking(program: Command): void {
  const load = () => import('./panes.ts');
  declare(program, 'send', 'Type a text into a worker in tmux.', 'swarm send agent "run the tests again"')
    .usage('[options] [name] <text>')
    .argument('<words...>', 'the worker, and the text')
    .option('--no-enter', 'do not press Enter after it')
    .option('--raw', 'do not press Escape and Ctrl-U before it')
    .option('--all', 'into all that run')
    .action(calls(load, 'sendCommand'));
  declare(program, 'interrupt [name]', 'Press Ctrl-C in a worker in tmux.', 'swarm interrupt agent')
    .option('--all', 'in all that run')
    .action(calls(load, 'interruptCommand'));
  const eof = declare(program, 'eof <name>', 'Press Ctrl-D in a worker in tmux.', 'swarm eof agent');
  eof.action(calls(load, 'eofCommand'));
}

function addEnding(program: Command): void {
  const load = () => import('../../loops/swarm/workers/spawn.ts');
  declare(program, 'kill [name]', 'End a worker; its record stays.', 'swarm kill agent --rm-worktree')
    .option('--all', 'all workers')
    .option('--rm-worktree', 'remove its worktree')
    .option('--force-dirty', 'even when uncommitted work is lost')
    // A worker that kills itself closes the terminal that this runs in; the record must still be written.
    .hook('preAction', () => void process.on('SIGHUP', () => undefined))
    .action(calls(load, 'killWorkers'));
  const forget = 'Forget a stopped worker: its record, its logs and its worktree.';
  declare(program, 'clean [name]', forget, 'swarm clean --all')
    .option('--all', 'all stopped workers')
    .option('--rm-worktree', 'remove its worktree (the default)')
    .option('--no-rm-worktree', 'leave its worktree')
    .option('--force-dirty', 'even when uncommitted work is lost')
    .action(calls(load, 'cleanWorkers'));
}

function addHeartbeat(program: Command): void {
  const load = () => import('../../loops/swarm/workers/heartbeat.ts');
  const what = 'Nudge workers at intervals, so that they go on after a usage limit.';
  const heartbeat = declare(program, 'heartbeat', what, 'swarm heartbeat start agent --interval 4h --expire 24h');
  declare(heartbeat, 'start <worker>', 'Start the heartbeat of a worker in tmux.')
    .requiredOption('--interval <duration>', 'time between beats: 4h, 30m, 90s, 3600, 1h30m')
    .option('--expire <duration>', 'stop after this time')
    .option('--message <text>', 'what is sent', 'continue')
    .option('--force', 'replace the one that is there')
    .action(calls(load, 'startHeartbeat'));
  const format = (): Option => choice('--format <format>', 'how', ['table', 'json']);
  const list = declare(heartbeat, 'list', 'List all heartbeats.').alias('ls').addOption(format());
  list.action(calls(load, 'listHeartbeats'));
  const status = declare(heartbeat, 'status <worker>', 'Show one heartbeat.').addOption(format());
  status.action(calls(load, 'showHeartbeat'));
  declare(heartbeat, 'stop <worker>', 'Stop the heartbeat of a worker.').action(calls(load, 'heartbeatStop'));
  declare(heartbeat, 'pause <worker>', 'Pause the heartbeat of a worker.').action(calls(load, 'pauseHeartbeat'));
  declare(heartbeat, 'resume <worker>', 'Go on with a paused heartbeat.').action(calls(load, 'resumeHeartbeat'));
  heartbeat.command('monitor', { hidden: true }).argument('<worker>').action(calls(load, 'monitorHeartbeat'));
}
