/** `ralph task run --dry-run`: what would be started, and in which sandbox; nothing is started and nothing is written. */
import { ANSWER_FILE } from '../../agents/describe-command.ts';
import { helpOf } from '../../agents/help.ts';
import { agentsAccess, profileFor } from '../../agents/index.ts';
import type { Environment } from '../../config/environment.ts';
import { maskFor } from '../../core/text/mask.ts';
import { quoteWord } from '../../core/text/quote-word.ts';
import { type ResolvedSandbox, type SandboxedTask, taskPaths } from '../../loops/tasks/sandbox.ts';
import { findProgram } from '../../process/which.ts';
import { sandboxLines } from '../sandbox-lines.ts';

export interface TaskDryRun extends SandboxedTask, ResolvedSandbox {
  readonly flags: readonly string[];
  readonly prompt: string;
}

export async function taskDryRun(dry: TaskDryRun, { root, variables }: Environment): Promise<number> {
  const { agent: command, cwd, folder, sandbox, noSandbox, flags, prompt } = dry;
  const mask = maskFor(variables);
  const say = (line: string): unknown => process.stdout.write(`${mask(line)}\n`);
  const adapter = profileFor(command);
  const program = findProgram(command, variables.PATH, cwd);
  const { argv, promptOnStdin } = adapter.commandLine({
    command,
    flags,
    mode: 'stream',
    prompt,
    help: helpOf(adapter, program, variables),
    answerFile: ANSWER_FILE,
    wantsStdin: sandbox.kind !== 'docker',
    isEnclosed: sandbox.kind !== 'none',
  });
  say(`Task folder: ${folder}\nWork tree: ${cwd}`);
  say(`\nCommand line${promptOnStdin ? ' (the prompt goes in by stdin)' : ''}:\n  ${argv.map(quoteWord).join(' ')}`);
  say(program === null ? `  warning: ${command} is not on the PATH` : `  runs ${program}`);
  say('');
  const place = { loop: 'dry run', cwd, env: variables, stateRoot: root.path, access: agentsAccess(command) };
  for (const line of await sandboxLines(sandbox, { ...place, loopPaths: taskPaths(folder) })) say(line);
  if (noSandbox !== undefined) say(`No sandbox: ${noSandbox}`);
  say(`\nTask:\n${prompt}`);
  say('\nDry run: nothing was started.');
  return 0;
}
