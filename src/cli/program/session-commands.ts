/** Declares `ralph session` and `ralph install-hooks`: the loop inside an agent's own session. */
import { join } from 'node:path';
import { Argument, type Command } from 'commander';
import { HOST_NAMES, type HostName } from '../../agents/session/host.ts';
import type { InstallHooksFlags } from '../install-hooks.ts';
import type { SessionFlags } from '../session.ts';
import { declare, exitWith } from './declare.ts';
import { collect, durationLike, positiveInteger } from './values.ts';

export function addSessionCommands(program: Command, version: string): void {
  addSession(program, version);
  addInstallHooks(program);
}

function addSession(program: Command, version: string): void {
  const what = 'Start Claude Code with the loop inside its session; it continues until its promise counts.';
  const example = 'ralph session -p "Make the tests pass." -m 20 --check "npm test"';
  declare(program, 'session', what, example)
    .requiredOption('-p, --prompt <text>', 'the task')
    .option('-m, --max-iterations <n>', 'send the agent back to the task at most this many times', positiveInteger, 100)
    .option('-c, --completion-promise <text>', 'what the agent says in <promise> tags when it is done', 'DONE')
    .option('--min-tool-calls <n>', 'tool calls that a promise needs before it counts (default: 1)')
    .option(
      '--on-promise-no-work <policy>',
      'what to do with a promise after fewer calls: reject, warn or accept (default: reject)',
    )
    .option(
      '--promise-position <where>',
      'where the promise counts: anywhere, or end for the last line (default: anywhere)',
    )
    .option('--stuck-after <n>', 'stop after this many continuations without a tool call or with the same reply')
    .option('--check <command>', 'command that must exit with 0 before a promise counts (repeatable)', collect)
    .option('--check-timeout <seconds>', 'time for all checks together, at most 540 (default: 540)')
    .option('--ultrawork', 'start every continuation with the instruction of /ulw-loop')
    .option('--agent <command>', 'the agent to start, instead of a command after -- (default: claude)')
    .option('--model <model>', 'model for the agent: adds --model to its command')
    .option('--timeout <duration>', 'end the session after this time, such as 2h', durationLike('30m or 2h'))
    .argument('[command...]', 'the command that starts Claude Code, after --')
    .action(async (command: string[], flags: SessionFlags) =>
      exitWith((await import('../session.ts')).sessionCommand(flags, command, version)),
    );
}

function addInstallHooks(program: Command): void {
  const commands = '/ralph-loop, /ulw-loop, /cancel-ralph and /ralph-status';
  const what = `Install the loop commands for an agent: ${commands}. Shows a diff first.`;
  declare(program, 'install-hooks', what, INSTALL_HOOKS_EXAMPLES)
    .addArgument(new Argument('<agent>', 'the agent').choices(HOST_NAMES))
    .option('--project', 'install for the project in this directory (the default)')
    .option('--user', 'install for all your projects')
    .option('--remove', 'remove what was installed')
    .option('-y, --yes', 'do not ask')
    .action(async (agent: HostName, flags: InstallHooksFlags) =>
      exitWith(
        (await import('../install-hooks.ts')).installHooksCommand(agent, flags, join(import.meta.dirname, '..')),
      ),
    );
}

const INSTALL_HOOKS_EXAMPLES = `
Your own hooks and settings are kept. --remove keeps files that you have changed
since, without ralph's hooks.

Examples:
  ralph install-hooks claude               # show a diff, ask, write to .claude/
  ralph install-hooks codex --user --yes
  ralph install-hooks claude --remove`;
