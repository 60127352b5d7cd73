/** A worker's sandbox: chooses and opens it, wraps the worker's command, and cleans up. */
import { rmSync } from 'node:fs';
import { programOf } from '../../../agents/pane.ts';
import { chooseSandbox, openSandbox } from '../../../engine/sandbox.ts';
import { makeFolders, writeFile } from '../../../process/files.ts';
import { type EnclosedCommand, thisHost } from '../../../process/host.ts';
import { forgetOsSandbox } from '../../../runners/os-sandbox.ts';
import { LEADS_TO_KEYS } from '../../../runners/sandbox/facts.ts';
import { repositoryWatch } from '../../../runners/sandbox/own-environment.ts';
import type { SandboxRequest } from '../../../runners/sandbox/request.ts';
import { refusedLooks } from '../../../state/paths.ts';
import type { WorkerRecord } from './record.ts';
import { refused, type Swarm, workerFiles } from './swarm.ts';

export type WorkerSandbox = NonNullable<Awaited<ReturnType<typeof openWorkerSandbox>>>;

interface Enclosed extends Pick<WorkerRecord, 'name' | 'cwd' | 'env'> {
  /** If the worker has a loop, the sandbox's files are in the loop's folder. */
  readonly loop?: { readonly id: string; readonly folder: string };
  readonly argv: readonly string[];
  readonly hasTerminal: boolean;
}

/** An available sandbox, or null and why. Throws, before anything is created, if one was named and is not available. */
export async function resolveWorkerSandbox(
  request: SandboxRequest,
  { argv, cwd }: Pick<Enclosed, 'argv' | 'cwd'>,
  { env }: Swarm,
  hasLoop: boolean,
) {
  if (request.kind === 'docker' && !hasLoop) {
    const hint = "Give it a loop (--ralph), or use --sandbox=os, the operating system's own.";
    throw refused(`a worker without a loop cannot run in a Docker Sandbox: ${NEEDS_A_LOOP}`, 2, hint);
  }
  const asked = { env, cwd, agents: [programOf(argv)], ...(hasLoop ? {} : { notDocker: NEEDS_A_LOOP }) };
  const { sandbox, noSandbox } = await chooseSandbox(request, undefined, asked);
  return { sandbox: sandbox.kind === 'none' ? null : sandbox, noSandbox };
}

const NEEDS_A_LOOP =
  'its machine has to be stopped and its files brought out after a run, and a lone worker has no supervisor to do that';

/** Null if none was asked for. Opened again after the worker has ended, to inspect what that has left in its folder. */
export async function openWorkerSandbox(swarm: Swarm, request: SandboxRequest | null, enclosed: Enclosed) {
  if (request === null || request.kind === 'none') return null;
  const { name, loop: own, cwd, argv, env, hasTerminal } = enclosed;
  const { home, stateRoot, self } = swarm;
  const loop = own ?? { id: `${home}/${name}`, folder: workerFiles(home, name).sandbox };
  const { folder } = loop;
  // Only existing folders can be hidden: otherwise the worker would see loops that begin later.
  for (const hidden of [folder, stateRoot]) makeFolders(hidden, 0o700);
  const host = thisHost({ ...swarm.env, ...env }, swarm.containment);
  // A worker keeps running without us, and inspections are rare, so every program is started independently.
  const alone = { runner: 'tmux', hasHelper: false, grace: 0 } as const;
  const where = { loop, cwd, stateRoot, agents: [programOf(argv)], self, host, ...alone };
  const { pane, says, host: inside } = await openSandbox(withoutSwarm(request, home), where);
  const { enclosure } = inside;
  if (pane === null || enclosure === undefined) return null;
  return {
    /** A line for the start that says what the sandbox protects. */
    says,
    /** For our own inspection of what it has left: git can run programs that a repository configures. */
    enclose: async (look: readonly string[]): Promise<EnclosedCommand> => {
      const command = await enclosure.enclose(look, { refusals: refusedLooks(folder) });
      return { ...command, argv: withEnvironment(pane.env, command.argv) };
    },
    /** Why programs that read the repository must no longer run outside; null if they may. */
    outsideProblem: enclosure.outsideProblem,
    /** The command for its window or process; refusals are written to the file. */
    command(command: readonly string[], refusals: string): readonly string[] {
      writeFile(refusals, '', { flag: 'a', mode: 0o600 });
      return withEnvironment(pane.env, pane.enclose(command, { refusals, ownTerminal: hasTerminal }));
    },
    /** To be called after a run. `cutOff`: we ended it, and it may still run where we cannot see it. */
    afterRun: pane.afterRun,
  };
}

/** A worker must not be able to read or change the records, logs and windows of all workers. */
export function withoutSwarm(request: SandboxRequest, home: string): SandboxRequest {
  return request.kind === 'docker' ? request : { ...request, denyRead: [...request.denyRead, home] };
}

/** Remembers the repository as it was before a worker with a loop, whose folder may be gone when this is needed. */
export function rememberRepository(home: string, name: string, workspace: string, env: NodeJS.ProcessEnv): void {
  const folder = workerFiles(home, name).sandbox;
  rmSync(folder, { recursive: true, force: true });
  makeFolders(folder, 0o700);
  repositoryWatch(folder, workspace, env);
}

/** Removes the sandbox and its temporary files; the list of refusals stays with the worker's record. */
export function forgetSandbox(home: string, name: string): void {
  forgetOsSandbox(workerFiles(home, name).sandbox);
}

/** A pane has its tmux server's variables, not ours: those that lead to keys are removed even if we have none. */
function withEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  command: EnclosedCommand['argv'],
): EnclosedCommand['argv'] {
  const set = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
  const taken = Object.keys(env).filter((name) => env[name] === undefined);
  const unset = [...new Set([...LEADS_TO_KEYS, ...taken])].flatMap((name) => ['-u', name]);
  // An absolute path, because PATH may lead into the work tree.
  return set.length === 0 ? command : ['/usr/bin/env', ...unset, ...set, ...command];
}
