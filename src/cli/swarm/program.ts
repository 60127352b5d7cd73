/** Declares the commands of `swarm` and their flags. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import type { Swarm } from '../../loops/swarm/workers/swarm.ts';
import { alsoCalled } from '../program/alias.ts';
import { exitWith } from '../program/declare.ts';
import { addSandboxFlags, SANDBOX_FLAGS } from '../program/flags/sandbox.ts';
import { type Groups, groupFlags } from '../program/groups.ts';
import { addSandboxExec } from '../program/sandbox-commands.ts';
import { collect, positiveInteger } from '../program/values.ts';

export function addSwarmCommands(program: Command): void {
  // Options after a worker's command belong to that command.
  program.enablePositionalOptions();
  program.addHelpText(
    'after',
    'Examples:\n  swarm spawn --name agent --tmux -- claude\n  swarm attach agent\n  swarm ralph list',
  );
  addStarting(program);
  addRalph(program);
  addWatching(program);
  addTalking(program);
  addEnding(program);
  addHeartbeat(program);
  addSandboxExec(program);
  const what = 'Add instructions about swarm to AGENTS.md or CLAUDE.md.';
  declare(program, 'init', what, 'swarm init --with-sandbox --dry-run')
    .option('--dry-run', 'show what would be done, and change nothing')
    .addOption(new Option('--file <name>', 'file to write (default: the one that exists)').choices(INSTRUCTION_FILES))
    .option('--force', 'replace existing instructions')
    .option('--with-sandbox', 'add scripts that run a loop in a container, away from the rest of the machine')
    .action(calls(() => import('./init.ts'), 'initCommand'));
}

/** Loads a command's code when it is called, and passes it the swarm and commander's arguments. */
function calls<Name extends string, Module extends Record<Name, (swarm: Swarm, ...args: never[]) => unknown>>(
  load: () => Promise<Module>,
  name: Name,
) {
  return async (...args: unknown[]): Promise<void> => {
    const [{ runInSwarm }, module] = await Promise.all([import('./context.ts'), load()]);
    return exitWith(runInSwarm((swarm) => module[name](swarm, ...(args as never[]))));
  };
}

/** `usage`: the command's name, followed by the worker that it is about, if any: `<name>` or `[name]`. */
function declare(parent: Command, usage: string, description: string, example: string): Command {
  const [name = '', worker] = usage.split(' ');
  const command = parent.command(name).description(description);
  if (worker !== undefined) command.argument(worker, 'name of the worker');
  return command.addHelpText('after', `${example.includes('\n') ? 'Examples' : 'Example'}:\n  ${example}`);
}

function choice(flags: string, description: string, choices: readonly string[], chosen = choices[0]): Option {
  return new Option(flags, description).choices([...choices]).default(chosen);
}

function seconds(text: string): number {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number) || number < 0) {
    throw new InvalidArgumentError('must be a number of seconds such as 30');
  }
  return number;
}

const INSTRUCTION_FILES = ['AGENTS.md', 'CLAUDE.md'];

const SPAWN_EXAMPLES = `swarm spawn --name agent --tmux --worktree -- claude
  swarm spawn --name agent --ralph --prompt-file PROMPT.md -m 20 -- claude
  swarm spawn --name agent --tmux --sandbox=os -- claude`;

const SPAWN_GROUPS: Groups = {
  'Worker:': ['name', 'agent', 'model', 'cwd', 'env', 'tag'],
  'Loop:': ['ralph', 'prompt-file', 'prompt-via', 'max-iterations', 'inactivity-timeout', 'done-pattern', 'detach'],
  'Where it runs:': ['tmux', 'session', 'tmux-socket', 'worktree', 'branch', 'worktree-dir', ...SANDBOX_FLAGS],
  'More:': ['ready-wait', 'ready-timeout', 'dry-run'],
};

const RALPH_EXAMPLES = `swarm ralph init
  swarm spawn --name agent --ralph --prompt-file PROMPT.md -m 20 -- claude
  swarm ralph status agent`;

const HEARTBEAT_START = 'swarm heartbeat start agent --interval 4h --expire 24h';

function addStarting(program: Command): void {
  const what = 'Start a worker, as a background process or in a tmux window.';
  const spawn = addSandboxFlags(declare(program, 'spawn', what, SPAWN_EXAMPLES))
    .requiredOption('--name <name>', 'name of the worker')
    .option('--tmux', 'run in a tmux window')
    .option('--session <name>', 'tmux session', 'swarm')
    .option('--tmux-socket <name>', 'tmux server, by the name of its socket')
    .option('--worktree', 'work in its own git worktree')
    .option('--branch <name>', 'branch of the worktree (default: the name)')
    .option('--worktree-dir <path>', 'folder for worktrees (default: <repo>-worktrees next to the repository)')
    .option('--tag <tag>', 'tag to filter by (repeatable)', collect, [])
    .option('--env <KEY=VAL>', 'environment variable (repeatable)', collect, [])
    .option('--cwd <path>', 'working directory')
    .option('--ready-wait', 'wait until the agent accepts input (tmux only)')
    .option('--ready-timeout <seconds>', 'how long to wait for that (default: 120, in a loop 30)', seconds)
    .option('--ralph', 'start the agent again and again, each time with a fresh context (implies --tmux)')
    .option('--prompt-file <path>', 'file with the prompt, read again for every iteration')
    .option('-m, --max-iterations <n>', 'start the agent at most this many times', positiveInteger)
    .option(
      '--inactivity-timeout <seconds>',
      'restart the agent when its screen does not change for this long',
      positiveInteger,
      60,
    )
    .option('--done-pattern <regex>', 'stop when its output matches')
    .addOption(new Option('--prompt-via <how>', 'how the agent gets the prompt').choices(['paste', 'stdin', 'arg']))
    .option('--detach', 'run the loop in the background')
    .option('--dry-run', 'show the command line and what the sandbox allows, and start nothing')
    .option('--agent <command>', 'the agent to start, instead of a command after --')
    .option('--model <model>', 'model for the agent: adds --model to its command')
    .argument('[command...]', 'the command, after --')
    .passThroughOptions();
  alsoCalled(spawn, '--timeout <seconds>', '--inactivity-timeout');
  groupFlags(spawn, SPAWN_GROUPS);
  spawn.action(calls(() => import('./spawn.ts'), 'spawnCommand'));
  const again = 'Start a worker again as it was; a running one is ended first.';
  declare(program, 'respawn <name>', again, 'swarm respawn agent --clean-first')
    .option('--clean-first', 'recreate its worktree')
    .option('--force-dirty', 'even if uncommitted work is lost')
    .action(calls(() => import('../../loops/swarm/workers/spawn.ts'), 'respawnWorker'));
}

function addRalph(program: Command): void {
  const files = () => import('./ralph/files.ts');
  const control = () => import('../../loops/swarm/ralph/worker.ts');
  const ralph = declare(program, 'ralph', 'Manage loops: agents that are started again and again.', RALPH_EXAMPLES);
  const begin = 'Create a PROMPT.md in this directory to start from.';
  declare(ralph, 'init', begin, 'swarm ralph init && $EDITOR PROMPT.md')
    .option('--force', 'overwrite an existing file')
    .action(calls(files, 'initPrompt'));
  const template = declare(
    ralph,
    'template',
    'Print the PROMPT.md that init creates.',
    'swarm ralph template > BUILD_PROMPT.md',
  );
  template.action(calls(files, 'printTemplate'));
  const status = declare(ralph, 'status <name>', 'Show the state of a loop.', 'swarm ralph status agent');
  status.action(calls(files, 'showStatus'));
  declare(ralph, 'list', 'List the loops.', 'swarm ralph list --status running')
    .alias('ls')
    .addOption(choice('--format <format>', 'format of the list', ['table', 'json', 'names']))
    .addOption(choice('--status <status>', 'list only these', ['all', 'running', 'paused', 'stopped', 'failed']))
    .action(calls(files, 'listLoops'));
  declare(ralph, 'logs <name>', 'Show when iterations started and how they ended.', 'swarm ralph logs agent --live')
    .option('--lines <n>', 'only the last n lines', positiveInteger)
    .option('--live', 'keep printing')
    .action(calls(files, 'showIterations'));
  const pause = 'Pause a loop after the current iteration.';
  declare(ralph, 'pause <name>', pause, 'swarm ralph pause agent').action(calls(control, 'pauseLoop'));
  const resume = 'Continue a loop that was paused, failed, reached its limit or lost its supervisor.';
  declare(ralph, 'resume <name>', resume, 'swarm ralph resume agent --max-iterations 40')
    .option('-m, --max-iterations <n>', 'new limit', positiveInteger)
    .action(calls(control, 'resumeLoop'));
  const run = 'Continue a loop that has lost its supervisor, in the foreground.';
  declare(ralph, 'run <name>', run, 'swarm ralph run agent').action(calls(() => import('./ralph/run.ts'), 'runLoop'));
  declare(ralph, 'clean [name]', 'Remove the state of a loop.', 'swarm ralph clean agent')
    .option('--all', 'remove the state of all loops')
    .action(calls(files, 'cleanLoops'));
}

function addWatching(program: Command): void {
  const list = () => import('./list.ts');
  const panes = () => import('./panes.ts');
  declare(program, 'ls', 'List the workers.', 'swarm ls --status running --format names')
    .addOption(choice('--format <format>', 'format of the list', ['table', 'json', 'names']))
    .addOption(choice('--status <status>', 'list only these', ['running', 'stopped', 'all'], 'all'))
    .option('--tag <tag>', 'list only those with this tag')
    .action(calls(list, 'lsCommand'));
  const whether = 'Show whether a worker runs; exit code 0 running, 1 stopped, 2 not found.';
  declare(program, 'status <name>', whether, 'swarm status agent').action(calls(list, 'statusCommand'));
  declare(program, 'logs <name>', 'Show the output of a worker.', 'swarm logs agent --follow')
    .option('--history', 'include what has scrolled off the screen')
    .option('--lines <n>', 'how many of those lines', positiveInteger, 1000)
    .option('--follow', 'keep printing')
    .action(calls(panes, 'logsCommand'));
  declare(program, 'peek [name]', 'Show the last lines on the screen of a worker in tmux.', 'swarm peek agent -n 5')
    .option('-n, --lines <n>', 'how many lines', positiveInteger, 30)
    .option('--all', 'show all running workers')
    .action(calls(panes, 'peekCommand'));
  const terminal = 'Attach to the tmux window of a worker; detach with Ctrl-B D.';
  declare(program, 'attach <name>', terminal, 'swarm attach agent').action(calls(panes, 'attachCommand'));
  declare(program, 'wait [name]', 'Wait until a worker ends.', 'swarm wait --all --timeout 600')
    .option('--all', 'wait for all running workers')
    .option('--timeout <seconds>', 'how long to wait at most', seconds)
    .action(calls(list, 'waitCommand'));
}

function addTalking(program: Command): void {
  const load = () => import('./panes.ts');
  declare(program, 'send', 'Type text into a worker in tmux.', 'swarm send agent "run the tests again"')
    .usage('[options] [name] <text>')
    .argument('<words...>', 'the worker, and the text')
    .option('--no-enter', 'do not press Enter after it')
    .option('--raw', 'do not press Escape and Ctrl-U before it')
    .option('--all', 'type into all running workers')
    .action(calls(load, 'sendCommand'));
  declare(program, 'interrupt [name]', 'Press Ctrl-C in a worker in tmux.', 'swarm interrupt agent')
    .option('--all', 'press it in all running workers')
    .action(calls(load, 'interruptCommand'));
  const eof = declare(program, 'eof <name>', 'Press Ctrl-D in a worker in tmux.', 'swarm eof agent');
  eof.action(calls(load, 'eofCommand'));
}

function addEnding(program: Command): void {
  const load = () => import('../../loops/swarm/workers/spawn.ts');
  declare(program, 'kill [name]', 'End a worker, and keep its record.', 'swarm kill agent --rm-worktree')
    .option('--all', 'end all workers')
    .option('--rm-worktree', 'remove its worktree')
    .option('--force-dirty', 'even if uncommitted work is lost')
    // A worker that kills itself closes the terminal in which this runs; the record must still be written.
    .hook('preAction', () => void process.on('SIGHUP', () => undefined))
    .action(calls(load, 'killWorkers'));
  const forget = 'Remove a stopped worker: its record, its logs and its worktree.';
  declare(program, 'clean [name]', forget, 'swarm clean --all')
    .option('--all', 'remove all stopped workers')
    .option('--rm-worktree', 'remove its worktree (the default)')
    .option('--no-rm-worktree', 'keep its worktree')
    .option('--force-dirty', 'even if uncommitted work is lost')
    .action(calls(load, 'cleanWorkers'));
}

function addHeartbeat(program: Command): void {
  const load = () => import('../../loops/swarm/workers/heartbeat.ts');
  const what = 'Nudge workers at intervals; they continue after a usage limit.';
  const heartbeat = declare(program, 'heartbeat', what, HEARTBEAT_START);
  declare(heartbeat, 'start <worker>', 'Start the heartbeat of a worker in tmux.', HEARTBEAT_START)
    .requiredOption('--interval <duration>', 'time between beats, such as 4h, 30m, 90s, 3600 or 1h30m')
    .option('--expire <duration>', 'stop after this time')
    .option('--message <text>', 'text to send', 'continue')
    .option('--force', 'replace an existing heartbeat')
    .action(calls(load, 'startHeartbeat'));
  const format = (): Option => choice('--format <format>', 'format', ['table', 'json']);
  const list = declare(heartbeat, 'list', 'List all heartbeats.', 'swarm heartbeat list')
    .alias('ls')
    .addOption(format());
  list.action(calls(load, 'listHeartbeats'));
  const status = declare(
    heartbeat,
    'status <worker>',
    'Show the heartbeat of a worker.',
    'swarm heartbeat status agent',
  ).addOption(format());
  status.action(calls(load, 'showHeartbeat'));
  declare(heartbeat, 'stop <worker>', 'Stop the heartbeat of a worker.', 'swarm heartbeat stop agent').action(
    calls(load, 'heartbeatStop'),
  );
  declare(heartbeat, 'pause <worker>', 'Pause the heartbeat of a worker.', 'swarm heartbeat pause agent').action(
    calls(load, 'pauseHeartbeat'),
  );
  declare(heartbeat, 'resume <worker>', 'Continue a paused heartbeat.', 'swarm heartbeat resume agent').action(
    calls(load, 'resumeHeartbeat'),
  );
  heartbeat.command('monitor', { hidden: true }).argument('<worker>').action(calls(load, 'monitorHeartbeat'));
}
