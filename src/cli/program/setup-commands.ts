/** Declares the commands around a loop: `ralph agents`, `doctor`, `rehearse`, `mcp` and `completion`. */
import { Argument, type Command, Option } from 'commander';
import type { Shell } from '../completion.ts';
import type { McpFlags } from '../mcp.ts';
import type { RehearseFlags } from '../rehearse.ts';
import { declare, exitWith } from './declare.ts';
import { self } from './self.ts';

export function addAgents(program: Command): void {
  declare(program, 'agents', 'List the installed agents, and how to install others.')
    .option('--json', 'print JSON')
    .action(async ({ json = false }: { json?: boolean }) => {
      const io = { stdout: process.stdout, env: await ownVariables(), cwd: process.cwd() };
      return exitWith((await import('../agents.ts')).agentsCommand({ json }, io));
    });
}

export function addDoctor(program: Command): void {
  declare(program, 'doctor', 'Check whether a loop can run here, and say what is missing.', DOCTOR_EXAMPLES)
    .option('--json', 'print JSON')
    .action(async ({ json = false }: { json?: boolean }) => {
      const environment = (await import('../../config/environment.ts')).readEnvironment();
      const { stdout } = process;
      const color = stdout.isTTY && environment.color;
      const io = { stdout, environment, color, cwd: process.cwd(), self: self() };
      return exitWith((await import('../doctor.ts')).doctorCommand({ json }, io));
    });
}

const DOCTOR_EXAMPLES = `
It looks at Node.js, git, tmux, agents and their logins, sandboxes, disk space,
settings and this folder. It calls no model, reads no credentials and changes
nothing. Exits with 0 if a loop can run here, otherwise with 1.

Example:
  ralph doctor && ralph run "fix the failing tests"`;

export function addCompletion(program: Command): void {
  declare(program, 'completion', 'Print the completion script of a shell.', COMPLETION_EXAMPLES)
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .action(async (shell: Shell) => {
      process.stdout.write((await import('../completion.ts')).completionScript(program, shell));
    });
}

const COMPLETION_EXAMPLES = `
Examples:
  source <(ralph completion bash)        # add this line to ~/.bashrc
  source <(ralph completion zsh)         # add this line to ~/.zshrc
  ralph completion fish | source         # add this line to config.fish`;

export async function addRehearse(program: Command, words: readonly string[]): Promise<void> {
  const what = 'Try a command with a scripted model; no account, no cost.';
  const help =
    words.includes('rehearse') || words[0] === 'completion' ? (await import('../rehearse.ts')).REHEARSE_HELP : '';
  declare(program, 'rehearse', what, help)
    .option(
      '-s, --script <file>',
      'what the model answers, turn by turn, in YAML or JSON (default: .ralph/rehearsal.yaml)',
    )
    .option('--init', 'write a script to start from, based on the settings, and run nothing')
    .option('--record <file>', 'record every request to the model, one JSON object per line')
    .option('--namespace', 'run only if the network can be cut off, except for the loopback')
    .option('--no-namespace', 'leave the network on, for guardrails that need a local server')
    .argument('[command...]', 'the command, after --')
    .action(async (command: string[], flags: RehearseFlags) => {
      const { stdout, stderr } = process;
      const again = [process.execPath, ...process.execArgv, ...process.argv.slice(1)];
      const io = { stdout, stderr, cwd: process.cwd(), env: await ownVariables(), self: again };
      return exitWith((await import('../rehearse.ts')).rehearseCommand(command, flags, io));
    });
}

export function addMcp(program: Command): void {
  declare(program, 'mcp', 'Let an MCP client, such as an agent, see and steer loops.', MCP_EXAMPLES)
    .addOption(
      new Option('--allow <tier>', 'what the client may do').choices(['read', 'self', 'write']).default('read'),
    )
    .action(async (flags: McpFlags) => exitWith((await import('../mcp.ts')).mcpCommand(flags)));
}

const MCP_EXAMPLES = `
The client starts it and talks to it over stdin and stdout. With read, the
client sees loops: list, status, log, time line. With self, an agent inside a
loop can also pause or stop that loop. With write, the client can also start,
tell, answer, pause, stop and resume loops. An agent inside a loop sees only
that loop, and never gets more than self. Every call is recorded.

Examples:
  claude mcp add ralph -- ralph mcp
  claude mcp add ralph -- ralph mcp --allow write
  codex mcp add ralph -- ralph mcp
  ralph mcp <requests.jsonl          # try it without a client`;

async function ownVariables(): Promise<NodeJS.ProcessEnv> {
  return (await import('../../config/environment.ts')).readEnvironment().variables;
}
