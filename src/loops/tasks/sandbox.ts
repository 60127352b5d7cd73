/**
 * The sandbox of a task: which one, and what its agents can access outside their work tree. They can write to the
 * task's folder (DONE, the bus, their notes), except for the supervisor's files in it, but not to the project's folder
 * or to other tasks.
 *
 *     <project>/                      read
 *       PROJECT-MESSAGE-BUS.md        read; `ralph bus post` asks the broker
 *       <task>/                       written
 *         TASK.md, TASK-CONFIG.yaml   read
 *         runs/                       read: reports, prompts, transcripts
 *           <run>/output.md           a link into <loop>/outputs/ while the run is under way
 *     <loop>/jobs/, outputs/          written; the rest of <loop>/ is hidden, except bin/
 */
import { existsSync, lstatSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { agentsAccess } from '../../agents/index.ts';
import { CHECK_KINDS } from '../../checks/index.ts';
import type { Environment } from '../../config/environment.ts';
import { sandboxSettings } from '../../config/settings.ts';
import { defined } from '../../core/defined.ts';
import { RalphError } from '../../core/error.ts';
import type { Closing } from '../../engine/host.ts';
import { chooseSandbox, openSandbox } from '../../engine/sandbox.ts';
import { realPathSoFar } from '../../process/files.ts';
import type { IsolationOptions } from '../../runners/choose.ts';
import { policyFacts, type SandboxOptions } from '../../runners/sandbox/facts.ts';
import { isUnder, type LoopPaths, sandboxPolicy } from '../../runners/sandbox/policy.ts';
import type { SandboxRequest } from '../../runners/sandbox/request.ts';
import { makePrivateFolder } from '../../state/folders.ts';
import { type Lock, tryLock } from '../../state/lock.ts';
import { workTreeLock } from '../../state/paths.ts';
import { toolsFolder } from './agent-environment.ts';
import { makeFolder, runFolder, taskFile } from './folder/task-folder.ts';
import { jobsFolder } from './jobs/broker-client.ts';
import type { TaskRequest } from './request.ts';

type AskedSandbox = Pick<TaskRequest, 'cwd' | 'agent' | 'folder'> & {
  readonly fallbacks?: readonly { readonly agent: string }[] | undefined;
};

export type ResolvedSandbox = Pick<TaskRequest, 'noSandbox'> & { readonly sandbox: SandboxRequest };

/** Combines what was asked for with the settings of the work tree; refuses a sandbox that is not available. */
export async function resolveTaskSandbox(
  asked: SandboxRequest | null,
  { cwd, agent, folder, fallbacks = [] }: AskedSandbox,
  { root, variables: env }: Environment,
  isKept = false,
): Promise<ResolvedSandbox> {
  const agents = [agent, ...fallbacks.map((fallback) => fallback.agent)];
  // The sandbox of an earlier loop, maybe with another work tree and agent, must not be widened by the settings.
  const settings = isKept ? undefined : sandboxSettings(cwd, CHECK_KINDS, env);
  const { passedOver: _, ...chosen } = await chooseSandbox(asked, settings, { env, agents, cwd });
  const { sandbox } = chosen;
  if (sandbox.kind === 'os') {
    // The policy without this loop kind's own paths: it must not open the project's folder, where other tasks are.
    const facts = policyFacts({ loop: 'not yet', cwd, env, stateRoot: root.path, access: agentsAccess(...agents) });
    const project = dirname(realPathSoFar(resolve(folder)));
    const open = sandboxPolicy(facts, sandbox).writable.find((path) => isUnder(project, path));
    if (open !== undefined) throw openProject(project, open);
  }
  return chosen;
}

function openProject(project: string, open: string): RalphError {
  return new RalphError('TASK_SANDBOX', `the tasks in ${project} lie in ${open}, which the sandbox can write to`, {
    hint: 'Choose a folder for the tasks outside of it with --root, or another work tree with --cwd.',
  });
}

/** For a task that has no loop yet. */
export function taskPaths(folder: string): LoopPaths {
  return loopPathsOf(realPathSoFar(resolve(folder)), null);
}

type IsolationContext = Pick<IsolationOptions, 'host' | 'stateRoot' | 'loop' | 'self' | 'warn'>;

export type TaskIsolation = Awaited<ReturnType<typeof isolateTask>>;

/** `outputs`: where the agent writes output.md while it runs; null if it writes into the run's folder. */
export async function isolateTask(
  request: TaskRequest,
  { fallbacks, ...context }: IsolationContext & { readonly fallbacks: readonly { readonly command: string }[] },
  closing: Closing,
) {
  const { folder, cwd, graceMs: grace, sandbox = null, parentLoop: inheritFrom, review } = request;
  const others = review === undefined ? fallbacks : [...fallbacks, review.by];
  const agents = [request.agent, ...others.map(({ command }) => command)];
  const kind = sandbox?.kind ?? 'none';
  const outputs = kind === 'os' ? outputsFolder(context.loop.folder) : null;
  if (outputs !== null) {
    makePrivateFolder(outputs);
    // The sandbox can only protect what exists.
    makeFolder(taskFile.runs(folder));
  }
  if (kind !== 'none') checkRunFolder(folder);
  const loopPaths = loopPathsOf(folder, context.loop.folder);
  const own = kind === 'none' ? {} : { loopPaths };
  const { host, stateRoot } = context;
  const where = { loop: context.loop.id, cwd, env: host.env, stateRoot, access: agentsAccess(...agents), loopPaths };
  const machine = sandbox?.kind === 'docker' ? await claimMachine({ ...where, request: sandbox }) : null;
  closing.add(() => machine?.release());
  const options = { ...context, cwd, agents, grace, ...own, ...defined({ inheritFrom }) };
  const isolation = await openSandbox(sandbox, options);
  closing.add(() => isolation.runner.close());
  const project = dirname(folder);
  // A continued loop has its first policy, and a job that of its parent, so check the sandbox that is really open.
  if (kind === 'os' && isolation.host.enclosure?.mayWrite(project) === true) throw openProject(project, cwd);
  return { ...isolation, outputs };
}

/** For the programs that a `RalphLoop`'s caller runs: they can use the run directory, but have no broker. */
export function isolateRoot(request: TaskRequest, context: IsolationContext) {
  const { folder, cwd, agent, graceMs: grace, sandbox = null } = request;
  const { readOnly, ...loopPaths } = taskPaths(folder);
  const own = { loopPaths: { ...loopPaths, readOnly: readOnly.filter((path) => existsSync(path)) } };
  return openSandbox(sandbox, { ...context, cwd, agents: [agent], grace, ...own });
}

/** `loop` null: only the task's own paths. */
function loopPathsOf(folder: string, loop: string | null): LoopPaths {
  const kept = [taskFile.runs, taskFile.prompt, taskFile.config, taskFile.propagation].map((file) => file(folder));
  return {
    writable: [folder, ...(loop === null ? [] : [jobsFolder(loop), outputsFolder(loop)])],
    readOnly: loop === null ? kept : kept.filter((path) => existsSync(path)),
    shown: loop === null ? [] : [toolsFolder(loop)],
    unhidden: [folder],
    shared: [folder],
  };
}

function outputsFolder(loop: string): string {
  return join(loop, 'outputs');
}

/** Refuses links, by which an agent without a sandbox, or in Docker, could have led us out of the task's folder. */
export function checkRunFolder(task: string, runId = ''): void {
  for (const path of [taskFile.runs(task), runFolder(task, runId)]) {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) continue;
    throw new RalphError('TASK_SANDBOX', `${path} is a link`, { hint: 'A sandbox needs the folder itself.' });
  }
}

/** A Docker sandbox is stopped between runs, so two loops in the same one would end each other's agents. */
async function claimMachine(where: Omit<SandboxOptions, 'folder'>): Promise<Lock> {
  const { dockerPolicy } = await import('../../runners/docker-sandbox.ts');
  const { name, workspace } = dockerPolicy(policyFacts(where), where.request, where.loopPaths);
  const attempt = tryLock(workTreeLock({ path: where.stateRoot }, `docker ${name}`), `loop ${where.loop}`);
  if (attempt.got) return attempt.lock;
  const { pid, purpose } = attempt.holder;
  throw new RalphError('TASK_SANDBOX', `the Docker Sandbox of ${workspace} is in use (pid ${pid}, ${purpose})`, {
    hint: 'Wait until it ends, or give this one its own work tree with --cwd.',
  });
}
