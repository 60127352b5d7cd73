/** `ralph stories run --dry-run`: what the first iteration would be; nothing is started and nothing is written. */
import { join } from 'node:path';
import { plannedCommand } from '../../agents/command.ts';
import { agentsAccess, profileFor } from '../../agents/index.ts';
import { maskFor } from '../../core/text/mask.ts';
import { quoteWord } from '../../core/text/quote-word.ts';
import { listState, refuseUnready } from '../../loops/stories/inputs.ts';
import { refuseUnsafe, resolveStories, sandboxWith } from '../../loops/stories/isolation.ts';
import type { IterationMode } from '../../loops/stories/list/allowed-changes.ts';
import type { CommandProject } from '../../loops/stories/project.ts';
import { agentFor, agentsOf, isSandboxed, needsPlugin, type StoriesRequest } from '../../loops/stories/request.ts';
import { verifyPlan } from '../../loops/stories/transitions.ts';
import { readPlain } from '../../process/files.ts';
import { sandboxName } from '../../runners/docker/machine.ts';
import { printable } from '../../stream/printable.ts';
import { sandboxLines } from '../terminal/dry-run-lines.ts';
import { pluginOf } from './project.ts';
import type { Program } from './run.ts';

export async function dryRun(given: StoriesRequest, project: CommandProject, { here, self }: Program): Promise<number> {
  const { cwd, folder, environment } = project;
  const { variables: env, root } = environment;
  const mask = maskFor(env);
  const say = (line: string): unknown => process.stdout.write(`${mask(printable(line))}\n`);
  const pluginDir = pluginOf(environment, here);
  const tasks = refuseUnready(project, given, pluginDir);
  const { request } = await resolveStories(given, cwd, env, self);
  refuseUnsafe(request, pluginDir, env);
  const list = listState(readPlain(join(folder, 'tasks.json')), request);
  if (list.is === 'open') {
    const { id, title } = list.story;
    say(`First iteration: ${list.mode} ${id}${title.trim() === '' ? '' : ` (${title})`}`);
    say(`\nCommand line (the prompt is ${request.ralphDir}/prompt.md and what this iteration is for):`);
    say(`  ${await commandLine(request, list.mode, { cwd, env, pluginDir })}`);
  } else if (list.is === 'complete') say('All stories are complete: no agent would be started.');
  else say(`Nothing would be run: ${list.reason}`);
  say('');
  say(verifyPlan(tasks, request));
  const paths = { loop: 'dry run', cwd, env, stateRoot: root.path, access: agentsAccess(...agentsOf(request)) };
  const sandbox = sandboxWith(request, needsPlugin(request) ? pluginDir : null);
  for (const line of await sandboxLines(sandbox, paths)) say(line);
  say('\nDry run: nothing was started.');
  return 0;
}

async function commandLine(
  request: StoriesRequest,
  mode: IterationMode,
  { cwd, env, pluginDir }: { cwd: string; env: NodeJS.ProcessEnv; pluginDir: string | null },
): Promise<string> {
  const inDocker = request.sandbox?.kind === 'docker' ? await import('../../runners/docker-sandbox.ts') : null;
  const plugin = pluginDir !== null && inDocker !== null ? inDocker.insidePath('plugin') : pluginDir;
  const agent = agentFor(request, mode, plugin);
  const { argv } = plannedCommand(agent, { prompt: 'PROMPT', cwd, env, isEnclosed: isSandboxed(request) });
  const template = profileFor(agent.command).sandbox?.docker;
  const isInside = inDocker !== null && template !== undefined;
  const whole = isInside ? inDocker.dockerRun(sandboxName(cwd), argv, template) : argv;
  return whole.map(quoteWord).join(' ');
}
