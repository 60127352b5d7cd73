/** The two programs' front: commands and flags are declared here, each command's code is loaded when it is called. */
import { closeSync } from 'node:fs';
import { join } from 'node:path';
import { isatty } from 'node:tty';
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from 'commander';
import { version } from '../../package.json';
import { HOST_NAMES, type HostName } from '../agents/session/host.ts';
import { nearest } from '../config/nearest.ts';
import { RalphError } from '../core/error.ts';
import { SYSTEM_FAULT, systemFault } from '../core/system-fault.ts';
import { addOutputFlags, DETACH, durationLike, exitWith, positiveInteger, self } from './arguments.ts';
import type { Shell } from './completion.ts';
import type { FleetRunFlags, FleetWorkerFlags } from './fleet.ts';
import type { InstallHooksFlags } from './install-hooks.ts';
import { addLoopCommands } from './loops/program.ts';
import type { RehearseFlags } from './rehearse.ts';
import type { RunFlags } from './run.ts';
import { addSandboxExec, addSandboxFlags } from './sandbox-flags.ts';
import type { SessionFlags } from './session.ts';
import { collect, declare } from './task/arguments.ts';
import { addJob } from './task/loop-commands.ts';

export async function main(binary: 'ralph' | 'swarm'): Promise<void> {
  const program = binary === 'ralph' ? await ralph(process.argv.slice(2)) : await swarm();
  letGoOfClosedTerminal();
  process.stdout.on('error', readerGone);
  process.stderr.on('error', readerGone);
  // Errors thrown in timers and watchers, outside of any await.
  process.once('uncaughtException', (error) => void reportAndExit(error, binary));
  try {
    if (binary === 'ralph') refuseUnknownCommand(program, process.argv.slice(2));
    await program.parseAsync();
  } catch (error) {
    process.exitCode = await report(error, binary);
  }
  await Promise.all([flush(process.stdout), flush(process.stderr)]);
  // What is still open (a watch, a timer) must not keep a finished program alive.
  process.exit();
}

/** A default command would take a mistyped name for an argument of its own. */
function refuseUnknownCommand(program: Command, words: readonly string[]): void {
  let command = program;
  for (const word of words) {
    if (word.startsWith('-') || command.commands.length === 0) return;
    const known = command.commands.flatMap((sub) => [sub.name(), ...sub.aliases()]);
    const next = command.commands.find((sub) => sub.name() === word || sub.aliases().includes(word));
    if (next === undefined && word !== 'help') {
      const meant = nearest(word, known);
      const hint = meant === null ? `ralph ${[...pathOf(command), '--help'].join(' ')}` : `Did you mean ${meant}?`;
      throw new RalphError('COMMAND', `unknown command '${word}'`, { hint });
    }
    if (next === undefined) return;
    command = next;
  }
}

function pathOf(command: Command): string[] {
  return command.parent === null ? [] : [...pathOf(command.parent), command.name()];
}

async function reportAndExit(error: unknown, binary: string): Promise<never> {
  process.exit(await report(error, binary));
}

async function ralph(words: readonly string[]): Promise<Command> {
  const program = newProgram('ralph', 'Runs coding agents in a loop until the work is done.');
  const example = 'ralph run -p "Make the tests pass. When they do, answer <response>DONE</response>." -m 10';
  program.addHelpText('after', `\nExample:\n  ${example}`);
  addRun(program);
  addLoopCommands(program);
  addSession(program);
  addInstallHooks(program);
  await addRehearse(program, words);
  declare(program, 'agents', 'List the agents that are installed, what works with each, and how to install the others.')
    .option('--json', 'for programs')
    .action(async ({ json = false }: { json?: boolean }) => {
      const io = { stdout: process.stdout, env: await ownVariables(), cwd: process.cwd() };
      return exitWith((await import('./agents.ts')).agentsCommand({ json }, io));
    });
  await addGroups(program, words);
  addJob(program);
  addFleet(program);
  addSandboxExec(program);
  declare(program, 'completion', 'Print the completion script of a shell.', 'source <(ralph completion bash)')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: Shell) => {
      process.stdout.write((await import('./completion.ts')).completionScript(program, shell));
    });
  return program;
}

function addRun(program: Command): void {
  const run = program
    .command('run', { isDefault: true })
    .description('Run the agent loop.')
    .option('-p, --prompt <text>', 'prompt string to send to agent')
    .option(
      '-f, --prompt-file <path>',
      'path to file containing prompt text, read again for every iteration; - for stdin',
    )
    .option('-m, --maximum-iterations <n>', 'maximum iterations before stopping', positiveInteger)
    .option('-c, --completion-response <text>', 'completion response text (default: DONE)', filled)
    .option('--stream-agent-output', 'stream agent output to console (the default)')
    .option('--no-stream-agent-output', 'do not stream agent output to console')
    .option(
      '--agent-timeout <duration>',
      'end an agent that runs longer, such as 90s or 30m',
      durationLike('500ms, 90s, 30m or 1h30m'),
    )
    .option('--live-settings', 'read the settings again for every iteration, not only at the start and on resume')
    .option('--dry-run', 'show settings, their origin, the command line and the first prompt; run nothing')
    .option('-V, --verbose', 'enable verbose/debug output')
    .option(...DETACH)
    .addOption(new Option('--runner <where>', 'where the agent runs').choices(['direct', 'tmux']).default('direct'));
  addSandboxFlags(addOutputFlags(run))
    .addHelpText('after', '\nExample:\n  ralph run -f PROMPT.md -m 20 --agent-timeout 30m')
    .action(async (flags: RunFlags) => exitWith((await import('./run.ts')).runCommand(flags, self())));

  const initExample = 'ralph init        # asks, then writes .ralph/settings.json';
  declare(program, 'init', 'Initialize settings file interactively.', initExample).action(async () =>
    exitWith((await import('./init.ts')).initCommand(process.cwd())),
  );
}

function addSession(program: Command): void {
  const what = 'Start Claude Code with the loop inside its session: it goes on until it keeps its promise.';
  const example = `ralph session -p "Make the tests pass." -m 20 --check "npm test" -- claude`;
  declare(program, 'session', what, example)
    .requiredOption('-p, --prompt <text>', 'the task')
    .option('-m, --max-iterations <n>', 'how often it is sent back to its task, at most', positiveInteger, 100)
    .option('-c, --completion-promise <text>', 'what it must say in <promise> tags when it is done', 'DONE')
    .option('--min-tool-calls <n>', 'tool calls that must stand behind a promise (default: 1)')
    .option(
      '--on-promise-no-work <policy>',
      'what becomes of a promise without them: reject, warn or accept (default: reject)',
    )
    .option(
      '--promise-position <where>',
      'where the promise counts: anywhere, or end (the last line) (default: anywhere)',
    )
    .option('--stuck-after <n>', 'end after so many continuations without a tool call or with the same reply')
    .option('--check <command>', 'must exit 0 before a promise counts (repeatable)', collect)
    .option('--check-timeout <seconds>', 'for all checks together, at most 540 (default: 540)')
    .option('--ultrawork', 'put the instruction of ulw-loop before every continuation')
    .argument('[command...]', 'the command that starts the agent, after --')
    .action(async (command: string[], flags: SessionFlags) =>
      exitWith((await import('./session.ts')).sessionCommand(flags, command, version)),
    );
}

function addInstallHooks(program: Command): void {
  const commands = '/ralph-loop, /ulw-loop, /cancel-ralph and /ralph-status';
  const what = `Install ${commands} for an agent (shows a diff first).`;
  declare(program, 'install-hooks', what, INSTALL_HOOKS_EXAMPLES)
    .addArgument(new Argument('<agent>', 'the agent').choices(HOST_NAMES))
    .option('--project', 'for the project in this directory (the default)')
    .option('--user', 'for all projects of yours')
    .option('--remove', 'take out what was installed')
    .option('-y, --yes', 'do not ask')
    .action(async (agent: HostName, flags: InstallHooksFlags) =>
      exitWith((await import('./install-hooks.ts')).installHooksCommand(agent, flags, join(import.meta.dirname, '..'))),
    );
}

const INSTALL_HOOKS_EXAMPLES = `
Hooks and settings that are there already are kept. A file that was changed after it was written is not removed.

Example:
  ralph install-hooks claude                  # shows the difference, asks, writes into .claude/
  ralph install-hooks codex --user --yes
  ralph install-hooks claude --remove`;

async function addRehearse(program: Command, words: readonly string[]): Promise<void> {
  const what = 'Run a command with a scripted model on this machine behind its agent: no account, no cost.';
  const help = words.includes('rehearse') ? (await import('./rehearse.ts')).REHEARSE_HELP : '';
  declare(program, 'rehearse', what, help)
    .option(
      '-s, --script <file>',
      'what the model answers, turn by turn: YAML or JSON (default: .ralph/rehearsal.yaml)',
    )
    .option('--init', 'write a script to start from, made from the settings; run nothing')
    .option('--record <file>', 'keep every request to the model, as lines of JSON')
    .option('--namespace', 'run only if the network can be shut off, all but the loopback')
    .option('--no-namespace', 'leave the network open, as for guardrails that need a server of this machine')
    .argument('[command...]', 'the command, after --')
    .action(async (command: string[], flags: RehearseFlags) => {
      const { stdout, stderr } = process;
      const again = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
      const io = { stdout, stderr, cwd: process.cwd(), env: await ownVariables(), self: again };
      return exitWith((await import('./rehearse.ts')).rehearseCommand(command, flags, io));
    });
}

/** Their many commands and flags are declared where the words on the command line ask for them. */
async function addGroups(program: Command, words: readonly string[]): Promise<void> {
  const group = async (name: string, what: string, add: (command: Command) => Promise<void>): Promise<void> => {
    const command = program.command(name).description(what);
    // A shell is told of all of them.
    if (words.includes(name) || words[0] === 'completion') await add(command);
  };
  await group('task', 'Look after tasks: folders in which agents work until DONE is there.', async (task) =>
    (await import('./task/program.ts')).addTaskCommands(task),
  );
  await group('bus', 'Post and read messages that agents and people leave for one another.', async (bus) =>
    (await import('./bus/program.ts')).addBusCommands(bus),
  );
  const what = 'Run stories one by one: implemented, reviewed with a fresh context, fixed, approved.';
  await group('stories', what, async (stories) => {
    const program = { self: self(), here: import.meta.dirname };
    (await import('./stories/program.ts')).addStories(stories, program);
  });
}

/** Experimental and hidden: the thin adapter; the fleet itself comes later. */
function addFleet(program: Command): void {
  const fleet = program
    .command('fleet', { hidden: true })
    .description('Experimental: loops on a PostgreSQL that several workers turn.');
  const command = (name: string, what: string): Command =>
    fleet.command(name).description(what).requiredOption('--database <url>', 'the PostgreSQL that the fleet shares');
  command('worker', 'Take loops from the queue and turn them; agents run on this machine.')
    .option('--slots <n>', 'loops at once', positiveInteger, 1)
    .option('--lease <ms>', 'a worker without a heartbeat for so long is dead', positiveInteger, 4000)
    .option('--heartbeat <ms>', 'time between heartbeats', positiveInteger, 1000)
    .option('--poll <ms>', 'time between looks at the queue', positiveInteger, 500)
    .action(async (flags: FleetWorkerFlags) => exitWith((await import('./fleet.ts')).fleetWorkerCommand(flags)));
  command('run', 'Order a run loop for this directory from the fleet, and wait for its end.')
    .requiredOption('-p, --prompt <text>', 'prompt string to send to agent')
    .option('-m, --maximum-iterations <n>', 'maximum iterations before stopping', positiveInteger)
    .action(async (flags: FleetRunFlags) => exitWith((await import('./fleet.ts')).fleetRunCommand(flags)));
}

async function ownVariables(): Promise<NodeJS.ProcessEnv> {
  return (await import('../config/environment.ts')).readEnvironment().variables;
}

async function swarm(): Promise<Command> {
  const what = 'Runs workers as background processes or in tmux windows, and watches over them.';
  const program = newProgram('swarm', what);
  (await import('./swarm/program.ts')).addSwarmCommands(program);
  return program;
}

function newProgram(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .version(version, '-v, --version', 'print version and exit')
    .showHelpAfterError()
    .exitOverride();
}

function readerGone(): void {
  // A reader that went away (`ralph run | head`) ends the showing, not the work.
}

/** Node resets the terminal that it was started in when it exits, and aborts where that has been closed meanwhile. */
function letGoOfClosedTerminal(): void {
  const terminals = [0, 1, 2].filter((fd) => isatty(fd));
  process.once('exit', () => {
    for (const fd of terminals) if (!isatty(fd)) closeSync(fd);
  });
}

function flush(stream: NodeJS.WriteStream): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}

/** What a person can act on has a sentence, a hint and an exit code; anything else is a bug and shows its stack. */
async function report(error: unknown, binary: string): Promise<number> {
  const { ownMask, choosableFolders } = await import('../config/environment.ts');
  const mask = ownMask();
  // A message may hold what an agent has written.
  const { printable } = await import('../stream/printable.ts');
  const expected = error instanceof RalphError ? error : systemFault(error, { choosable: choosableFolders() });
  if (expected !== null) {
    const { code, message, advice } = expected;
    const isSwarm = binary === 'swarm';
    const hint = advice.hint === undefined ? '' : `${isSwarm ? 'swarm' : 'hint'}: ${advice.hint}\n`;
    process.stderr.write(printable(mask(`${isSwarm ? 'swarm: ' : ''}error: ${message}\n${hint}`)));
    // Seed 000 knows one code for errors.
    return isSwarm && code === SYSTEM_FAULT ? 1 : advice.exitCode;
  }
  // Commander has printed its own message; asking for help or the version is no error.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const trace = error instanceof Error ? (error.stack ?? error.message) : String(error);
  process.stderr.write(mask(`${binary}: this is a bug, please report it\n${trace}\n`));
  return 70;
}

function filled(text: string): string {
  if (text === '') throw new InvalidArgumentError('It must not be empty.');
  return text;
}
