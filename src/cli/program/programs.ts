/** The two programs: declares every command; the code of a command is loaded when it is called. */
import type { Command } from 'commander';
import { version } from '../../../package.json';
import { addLoopCommands } from '../loops/program.ts';
import { addReceiptCommands } from '../receipt/program.ts';
import { addRun } from '../run/program.ts';
import { addJob } from '../task/loop-commands.ts';
import { newProgram } from './command.ts';
import { addFleet } from './fleet-commands.ts';
import { type Groups, groupCommands } from './groups.ts';
import { addSandboxExec } from './sandbox-commands.ts';
import { self } from './self.ts';
import { addSessionCommands } from './session-commands.ts';
import { addAgents, addCompletion, addDoctor, addMcp, addRehearse } from './setup-commands.ts';

/** `words`: the command line. The commands of a group are declared only if they contain its name. */
export async function ralphProgram(words: readonly string[]): Promise<Command> {
  const program = newProgram('ralph', 'Run a coding agent in a loop until the work is proved done.', version);
  program.addHelpText('after', EXAMPLES);
  addRun(program);
  addLoopCommands(program);
  addReceiptCommands(program);
  addSessionCommands(program, version);
  await addRehearse(program, words);
  addDoctor(program);
  addAgents(program);
  addMcp(program);
  await addGroups(program, words);
  addJob(program);
  addFleet(program);
  addSandboxExec(program);
  addCompletion(program);
  addVersion(program);
  groupCommands(program, RALPH_GROUPS);
  return program;
}

const EXAMPLES = `Examples:
  ralph run "Fix the failing tests"     # start a loop in this folder
  ralph ls                              # list your loops
  ralph resume                          # continue after Ctrl-C or a crash

For more about a command: ralph <command> --help`;

/** What is not listed comes under More. */
const RALPH_GROUPS: Groups = {
  'Run a loop:': ['run', 'stories', 'task', 'session'],
  'See and steer:': 'ls top status show report quota logs diff attach pause resume stop tell answer rewind'.split(' '),
  'Prove:': ['receipt', 'verify'],
  'Set up:': ['init', 'doctor', 'agents', 'notify', 'install-hooks', 'mcp', 'rehearse', 'completion'],
  'More:': ['job', 'bus', 'gc'],
};

export async function swarmProgram(): Promise<Command> {
  const what = 'Run agents as background processes or in tmux windows, and look after them.';
  const program = newProgram('swarm', what, version);
  (await import('../swarm/program.ts')).addSwarmCommands(program);
  addVersion(program);
  groupCommands(program, SWARM_GROUPS);
  return program;
}

const SWARM_GROUPS: Groups = {
  'Start workers:': ['spawn', 'respawn', 'ralph'],
  'See them:': ['ls', 'status', 'logs', 'peek', 'attach', 'wait'],
  'Talk to them:': ['send', 'interrupt', 'eof', 'heartbeat'],
  'End them:': ['kill', 'clean'],
  'More:': ['init'],
};

/** Both programs, with all their commands. */
export async function everyProgram(): Promise<Command[]> {
  return [await ralphProgram([EVERY_COMMAND]), await swarmProgram()];
}

/** `ralph completion` needs all commands. */
const EVERY_COMMAND = 'completion';

/** Declares the many commands and flags of a group only if the command line names it. */
async function addGroups(program: Command, words: readonly string[]): Promise<void> {
  const group = async (name: string, what: string, add: (command: Command) => Promise<void>): Promise<void> => {
    const command = program.command(name).description(what);
    if (words.includes(name) || words[0] === EVERY_COMMAND) await add(command);
  };
  await group('task', 'Run agents in task folders until there is a DONE file.', async (task) =>
    (await import('../task/program.ts')).addTaskCommands(task),
  );
  await group('bus', 'Post and read messages from agents and people.', async (bus) =>
    (await import('../bus/program.ts')).addBusCommands(bus),
  );
  await group('notify', 'Show who is notified of what, and send a test message.', async (notify) =>
    (await import('../notify/program.ts')).addNotifyCommands(notify),
  );
  await group('stories', 'Work through a list of stories: each is implemented, then reviewed.', async (stories) => {
    const program = { self: self(), here: import.meta.dirname };
    (await import('../stories/program.ts')).addStories(stories, program);
  });
}

/** `ralph version`, because people type it. */
function addVersion(program: Command): void {
  program
    .command('version', { hidden: true })
    .description('Print the version.')
    .action(() => void process.stdout.write(`${version}\n`));
}
