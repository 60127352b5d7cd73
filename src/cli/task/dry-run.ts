/** What `ralph task run --dry-run` shows. */
import type { Environment } from '../../config/environment.ts';
import type { TaskRequest } from '../../loops/tasks/request.ts';
import { type ResolvedSandbox, taskPaths } from '../../loops/tasks/sandbox.ts';

type StartedTask = Pick<TaskRequest, 'agent' | 'flags' | 'cwd' | 'folder' | 'review'> &
  ResolvedSandbox & { readonly agents: readonly string[] };

/** Shows what would be started, and in which sandbox; starts nothing and writes nothing. */
export async function showDryRun(
  task: StartedTask,
  prompt: string,
  { root, mask, variables: env }: Environment,
): Promise<void> {
  const { commandLines, reviewerLines, sandboxLines } = await import('../terminal/dry-run-lines.ts');
  const { agent: command, flags, cwd, folder, sandbox, noSandbox, agents, review } = task;
  const wantsStdin = sandbox.kind !== 'docker';
  const options = { prompt, cwd, env, wantsStdin, isEnclosed: sandbox.kind !== 'none' };
  const place = { cwd, env, stateRoot: root.path, agents };
  const lines = [
    `Task folder: ${folder}\nWork tree: ${cwd}`,
    ...commandLines({ command, flags, mode: 'stream' }, options),
    ...(review === undefined ? [] : reviewerLines(review.by, options)),
    ...(await sandboxLines(sandbox, place, taskPaths(folder))),
    ...(noSandbox === undefined ? [] : [`No sandbox: ${noSandbox}`]),
    `\nTask:\n${prompt}`,
    '\nDry run: nothing was started.',
  ];
  for (const line of lines) process.stdout.write(`${mask(line)}\n`);
}
