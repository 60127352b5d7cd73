/** A worker's sandbox: what its command becomes in there, what it was refused, and its end. */
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
  /** Its files lie in the folder of its loop, if it has one. */
  readonly loop?: { readonly id: string; readonly folder: string };
  readonly argv: readonly string[];
  readonly hasTerminal: boolean;
}

/** One that can be had, or none, and why. Throws before anything is made when one was asked for by its name and cannot. */
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

/** Null where none was asked for. Opened again for a worker that has ended, it shows what that has left in its folder. */
export async function openWorkerSandbox(swarm: Swarm, request: SandboxRequest | null, enclosed: Enclosed) {
  if (request === null || request.kind === 'none') return null;
  const { name, loop: own, cwd, argv, env, hasTerminal } = enclosed;
  const { home, stateRoot, self } = swarm;
  const loop = own ?? { id: `${home}/${name}`, folder: workerFiles(home, name).sandbox };
  const { folder } = loop;
  // What is hidden must be there: a loop that begins later would be seen.
  for (const hidden of [folder, stateRoot]) makeFolders(hidden, 0o700);
  const host = thisHost({ ...swarm.env, ...env }, swarm.containment);
  // A worker goes on without us, and a look is taken now and then: each program of it stands on its own.
  const alone = { runner: 'tmux', hasHelper: false, grace: 0 } as const;
  const where = { loop, cwd, stateRoot, agents: [programOf(argv)], self, host, ...alone };
  const { pane, says, host: inside } = await openSandbox(withoutSwarm(request, home), where);
  const { enclosure } = inside;
  if (pane === null || enclosure === undefined) return null;
  return {
    /** What protects from what, in a line for the start. */
    says,
    /** For a look of ours at what it has left: git runs programs that a repository names. */
    enclose: async (look: readonly string[]): Promise<EnclosedCommand> => {
      const command = await enclosure.enclose(look, { refusals: refusedLooks(folder) });
      return { ...command, argv: withEnvironment(pane.env, command.argv) };
    },
    /** Why nothing that reads the repository may run outside any more; null while it may. */
    outsideProblem: enclosure.outsideProblem,
    /** The command as its window or process runs it; what it is refused goes into the file. */
    command(command: readonly string[], refusals: string): readonly string[] {
      writeFile(refusals, '', { flag: 'a', mode: 0o600 });
      return withEnvironment(pane.env, pane.enclose(command, { refusals, ownTerminal: hasTerminal }));
    },
    /** After a run. `cutOff`: it was ended by us, and may go on where we do not see it. */
    afterRun: pane.afterRun,
  };
}

/** The records, logs and windows of all workers are nothing that one of them could read or change. */
export function withoutSwarm(request: SandboxRequest, home: string): SandboxRequest {
  return request.kind === 'docker' ? request : { ...request, denyRead: [...request.denyRead, home] };
}

/** What the repository was like before the worker: of a loop, whose own folder may be gone when that is asked. */
export function rememberRepository(home: string, name: string, workspace: string, env: NodeJS.ProcessEnv): void {
  const folder = workerFiles(home, name).sandbox;
  rmSync(folder, { recursive: true, force: true });
  makeFolders(folder, 0o700);
  repositoryWatch(folder, workspace, env);
}

/** Its temporary files go with it; what it was refused stays with its record. */
export function forgetSandbox(home: string, name: string): void {
  forgetOsSandbox(workerFiles(home, name).sandbox);
}

/** A pane has the variables of its tmux server, not ours: what leads to keys is taken away whether we have it or not. */
function withEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  command: EnclosedCommand['argv'],
): EnclosedCommand['argv'] {
  const set = Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
  const taken = Object.keys(env).filter((name) => env[name] === undefined);
  const unset = [...new Set([...LEADS_TO_KEYS, ...taken])].flatMap((name) => ['-u', name]);
  // By its path: a PATH may lead to the work tree.
  return set.length === 0 ? command : ['/usr/bin/env', ...unset, ...set, ...command];
}
