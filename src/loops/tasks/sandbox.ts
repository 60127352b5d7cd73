/**
 * A task in a sandbox: which one, and what its agents may touch beside their work tree. The task's folder is theirs (DONE,
 * the bus, their notes), but for what the supervisor keeps in it; the project's folder and other tasks are not.
 *
 *     <project>/                      read
 *       PROJECT-MESSAGE-BUS.md        read; `ralph bus post` asks the broker
 *       <task>/                       written
 *         TASK.md, TASK-CONFIG.yaml   read
 *         runs/                       read: reports, prompts, transcripts
 *           <run>/output.md           a link into <loop>/outputs/ while the run goes on
 *     <loop>/jobs/, outputs/          written; the rest of <loop>/ is hidden, but for bin/
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

/** What was asked for and what the settings of the work tree say, together; refused if it cannot be had. */
export async function resolveTaskSandbox(
  asked: SandboxRequest | null,
  { cwd, agent, folder, fallbacks = [] }: AskedSandbox,
  { root, variables: env }: Environment,
  isKept = false,
): Promise<ResolvedSandbox> {
  const agents = [agent, ...fallbacks.map((fallback) => fallback.agent)];
  // What an earlier loop of the task had, maybe elsewhere and with another agent, the settings do not widen.
  const settings = isKept ? undefined : sandboxSettings(cwd, CHECK_KINDS, env);
  const { passedOver: _, ...chosen } = await chooseSandbox(asked, settings, { env, agents, cwd });
  const { sandbox } = chosen;
  if (sandbox.kind === 'os') {
    // As it would be, without what is the loop kind's own. Beside the task lie others, which are not the agent's.
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

/** Of a task whose loop is not there yet. */
export function taskPaths(folder: string): LoopPaths {
  return loopPathsOf(realPathSoFar(resolve(folder)), null);
}

type IsolationContext = Pick<IsolationOptions, 'host' | 'stateRoot' | 'loop' | 'self' | 'warn'>;

export type TaskIsolation = Awaited<ReturnType<typeof isolateTask>>;

/** `outputs`: where the agent's output.md is written while it runs; null where that is the run's folder itself. */
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
    // What is to be kept from the agent must be there.
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
  // A loop that goes on has the policy of its beginning, and a job that of its parent: they are asked themselves.
  if (kind === 'os' && isolation.host.enclosure?.mayWrite(project) === true) throw openProject(project, cwd);
  return { ...isolation, outputs };
}

/** For the programs of a `RalphLoop`'s caller: they have the run's directory, and no broker. */
export function isolateRoot(request: TaskRequest, context: IsolationContext) {
  const { folder, cwd, agent, graceMs: grace, sandbox = null } = request;
  const { readOnly, ...loopPaths } = taskPaths(folder);
  const own = { loopPaths: { ...loopPaths, readOnly: readOnly.filter((path) => existsSync(path)) } };
  return openSandbox(sandbox, { ...context, cwd, agents: [agent], grace, ...own });
}

/** Without a loop: what is the task's alone. */
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

/** A link there, of an agent that was here without a sandbox, or of one in a machine, would lead us out of the task. */
export function checkRunFolder(task: string, runId = ''): void {
  for (const path of [taskFile.runs(task), runFolder(task, runId)]) {
    if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() !== true) continue;
    throw new RalphError('TASK_SANDBOX', `${path} is a link`, { hint: 'A sandbox needs the folder itself.' });
  }
}

/** A Docker machine is stopped between runs, so two loops in one would end each other's agents. */
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
