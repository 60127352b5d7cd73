/** `ralph task run --dry-run`: what would be started, and in which sandbox; nothing is started and nothing is written. */
import { agentsAccess } from '../../agents/index.ts';
import type { Environment } from '../../config/environment.ts';
import { maskFor } from '../../core/text/mask.ts';
import { type ResolvedSandbox, type SandboxedTask, taskPaths } from '../../loops/tasks/sandbox.ts';
import { commandLines, sandboxLines } from '../terminal/dry-run-lines.ts';

export interface TaskDryRun extends SandboxedTask, ResolvedSandbox {
  readonly flags: readonly string[];
  readonly prompt: string;
}

export async function taskDryRun(dry: TaskDryRun, { root, variables }: Environment): Promise<number> {
  const { agent: command, cwd, folder, sandbox, noSandbox, flags, prompt } = dry;
  const mask = maskFor(variables);
  const say = (line: string): unknown => process.stdout.write(`${mask(line)}\n`);
  say(`Task folder: ${folder}\nWork tree: ${cwd}`);
  const wantsStdin = sandbox.kind !== 'docker';
  const options = { prompt, cwd, env: variables, wantsStdin, isEnclosed: sandbox.kind !== 'none' };
  for (const line of commandLines({ command, flags, mode: 'stream' }, options)) say(line);
  const place = { loop: 'dry run', cwd, env: variables, stateRoot: root.path, access: agentsAccess(command) };
  for (const line of await sandboxLines(sandbox, { ...place, loopPaths: taskPaths(folder) })) say(line);
  if (noSandbox !== undefined) say(`No sandbox: ${noSandbox}`);
  say(`\nTask:\n${prompt}`);
  say('\nDry run: nothing was started.');
  return 0;
}
