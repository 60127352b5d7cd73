/** `ralph stories run`, `pause` and `resume`: run the loop in a terminal, and steer it from another one. */
import { join } from 'node:path';
import { plannedCommand } from '../../agents/command.ts';
import { profileFor } from '../../agents/index.ts';
import { defined } from '../../core/defined.ts';
import { RalphError } from '../../core/error.ts';
import { quoteWord } from '../../core/text/quote-word.ts';
import { sendCommand } from '../../engine/control.ts';
import type { Driven } from '../../engine/drive.ts';
import { isOwnAgent } from '../../engine/own-loop.ts';
import { listState, refuseUnready } from '../../loops/stories/inputs.ts';
import { resolveStories, type Self, sandboxWith } from '../../loops/stories/isolation.ts';
import type { IterationMode } from '../../loops/stories/list/allowed-changes.ts';
import { resumeStories, runStories, type StoriesOptions } from '../../loops/stories/loop.ts';
import { refuseUnsafe } from '../../loops/stories/plan.ts';
import type { CommandProject } from '../../loops/stories/project.ts';
import type { StoriesRequest } from '../../loops/stories/request.ts';
import { agentFor, agentsOf, isSandboxed, needsPlugin, storiesRequest } from '../../loops/stories/request.ts';
import { provePlan, verifyPlan } from '../../loops/stories/verify-messages.ts';
import { preflightOf } from '../../preflight/before-loop.ts';
import { readPlain } from '../../process/files.ts';
import { sandboxName } from '../../runners/docker/machine.ts';
import { type SandboxFlags, sandboxFromFlags } from '../../runners/sandbox/request.ts';
import { loopFolder } from '../../state/paths.ts';
import { printable } from '../../stream/printable.ts';
import { type OutageFlags, outagesFrom } from '../program/flags/outages.ts';
import { type ProofFlags, proofChangeFrom, proveFrom } from '../program/flags/proof.ts';
import { type TermFlags, termOptions } from '../program/flags/terms.ts';
import { sandboxLines } from '../terminal/dry-run-lines.ts';
import type { OutputFlags } from '../terminal/live-output.ts';
import { handleSignals } from '../terminal/signals.ts';
import { type AwakeFlags, inTerminal, thisTerminal } from '../terminal.ts';
import { storiesConsole } from './console.ts';
import { type CommandFlags, listedProjectOf, pluginOf, projectOf } from './project.ts';
import { surveyStories } from './status.ts';

export interface StoriesRunFlags
  extends OutputFlags,
    SandboxFlags,
    OutageFlags,
    TermFlags,
    ProofFlags,
    Partial<Omit<StoriesRequest, 'sandbox' | 'prove' | 'proof'>> {
  readonly projectDir?: string;
  readonly failureBackoff?: number;
  readonly verifyTimeout?: number;
  readonly timeout?: number;
  readonly dryRun?: boolean;
  readonly detach?: boolean;
}

/** `here`: the folder of the running file; the plugin is near it. */
export type Program = { readonly here: string; readonly self: Self };

export async function runCommand(flags: StoriesRunFlags, program: Program): Promise<number> {
  const project = projectOf(flags);
  const { maxIterations, reviewCap, agent, skipReview, stuckAfter, verify, onBlocked } = flags;
  const request = storiesRequest({
    ralphDir: project.ralphDir,
    ...defined({ maxIterations, reviewCap, agent, skipReview, stuckAfter, verify, onBlocked }),
    ...defined({ backoffUnitMs: flags.failureBackoff, verifyTimeoutMs: flags.verifyTimeout }),
    agentTimeoutMs: flags.timeout ?? null,
    model: flags.model || null,
    reviewAgent: flags.reviewAgent || null,
    reviewModel: flags.reviewModel || null,
    sandbox: sandboxFromFlags(flags),
    outages: outagesFrom(flags),
    prove: proveFrom(flags),
    ...defined({ fallbacks: flags.fallback }),
  });
  if (flags.dryRun === true) return dryRun(request, project, program);
  if (flags.detach === true) return (await import('../terminal/detach.ts')).detach();
  return hosted(project, program, flags, (options) => runStories(request, { ...options, ...termOptions(flags) }));
}

function hosted(
  project: CommandProject,
  { here, self }: Program,
  flags: OutputFlags & AwakeFlags,
  host: (options: StoriesOptions) => Promise<Driven>,
): Promise<number> {
  const { environment } = project;
  const console = storiesConsole(thisTerminal(environment, flags), () => surveyStories(project).stories);
  const preflight = preflightOf({ stateRoot: environment.root.path, show: console.found });
  const around = { project, environment, pluginDir: pluginOf(environment, here), self, preflight };
  return inTerminal('stories', console, handleSignals(console.tell), (ports) => host({ ...around, ...ports }), flags);
}

export async function pauseCommand(flags: CommandFlags): Promise<number> {
  const project = listedProjectOf(flags);
  const { id, state, pid, continueWith } = surveyStories(project).loop ?? NO_LOOP;
  if (id === null || pid === null) {
    const hint = continueWith === null ? 'Start one: ralph stories run' : `To continue the last one: ${continueWith}`;
    throw new RalphError('NOT_RUNNING', `no stories loop is running in ${project.cwd}`, { hint, exitCode: 1 });
  }
  refuseOwnAgent(project, id);
  sendCommand(loopFolder(project.environment.root, id), 'pause');
  const words = state === 'running' ? 'Pausing after the current iteration' : 'Already paused';
  process.stdout.write(`[ralph] ${words} (pid ${pid}); to continue, run: ralph stories resume\n`);
  return 0;
}

const NO_LOOP = { id: null, state: 'ended', pid: null, continueWith: null } as const;

export async function resumeCommand(flags: CommandFlags, program: Program): Promise<number> {
  if (flags.detach === true) return (await import('../terminal/detach.ts')).detach();
  const project = listedProjectOf(flags);
  const { maxIterations } = flags;
  const proof = proofChangeFrom(flags);
  const { id, state, pid } = surveyStories(project).loop ?? NO_LOOP;
  if (id !== null) refuseOwnAgent(project, id);
  if (id !== null && (state === 'paused' || state === 'pausing')) {
    if (maxIterations !== undefined)
      throw new RalphError('RUNNING', `the loop is still running (pid ${pid}), with the limit that it began with`, {
        hint: 'Resume it without -n, or stop it first (Ctrl-C).',
      });
    if (Object.keys(proof).length > 0)
      throw new RalphError('RUNNING', `the loop is still running (pid ${pid}), with the proof that it began with`, {
        hint: 'Resume it without --allow-edit and --accept-flaky, or stop it first (Ctrl-C).',
      });
    sendCommand(loopFolder(project.environment.root, id), 'resume');
    // Its events go to the terminal or the program that started it.
    (flags.json === true ? process.stderr : process.stdout).write(`[ralph] Resumed (pid ${pid})\n`);
    return 0;
  }
  const change = { ...defined({ maxIterations }), ...proof };
  return hosted(project, program, flags, (options) => resumeStories({ ...options, ...termOptions(flags) }, change));
}

/** In a pause, a person can approve any story, so an agent must not pause its own loop. */
function refuseOwnAgent({ environment: { root, variables } }: CommandProject, id: string): void {
  if (!isOwnAgent(root, id, variables)) return;
  const hint = 'To hand something to a person, say so: <promise>DECIDE:the question</promise>';
  throw new RalphError('OWN_AGENT', 'an agent cannot steer its own loop', { hint, exitCode: 1 });
}

/** Shows what the first iteration would be; starts nothing and writes nothing. */
async function dryRun(given: StoriesRequest, project: CommandProject, { here, self }: Program): Promise<number> {
  const { cwd, folder, environment } = project;
  const { variables: env, mask, root } = environment;
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
  say(`\n${[verifyPlan(tasks, request), ...provePlan(tasks, request)].join('\n')}`);
  const place = { cwd, env, stateRoot: root.path, agents: agentsOf(request) };
  const sandbox = sandboxWith(request, needsPlugin(request) ? pluginDir : null);
  for (const line of [...(await sandboxLines(sandbox, place)), '\nDry run: nothing was started.']) say(line);
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
