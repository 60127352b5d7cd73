/** A Docker Sandbox: a virtual machine that shares the work tree. What runs inside ends only when it is stopped. */
import { spawnSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentsAccess, DockerTemplate } from '../core/agent-access.ts';
import { RalphError } from '../core/error.ts';
import { digestOf } from '../core/text/digest.ts';
import { listed } from '../core/text/listed.ts';
import type { Duration } from '../core/time.ts';
import { type Enclosure, selfContained } from '../process/host.ts';
import { findProgram } from '../process/which.ts';
import {
  AGENT_HOME,
  authFolder,
  copyFolderIn,
  type DockerPolicy,
  dockerSandboxCommand,
  prepareSandbox,
  sandboxName,
} from './docker/machine.ts';
import type { Runner } from './runner.ts';
import { type PolicyFacts, policyFacts, type SandboxOptions } from './sandbox/facts.ts';
import { pathOutsideOf, repositoryWatch } from './sandbox/own-environment.ts';
import { isUnder, type LoopPaths, section } from './sandbox/policy.ts';
import { checkedHost, ecosystemHosts, type SandboxOverrides } from './sandbox/request.ts';

export interface DockerSandboxOptions extends SandboxOptions {
  readonly tell?: (line: string) => void;
}

export type DockerSandbox = Awaited<ReturnType<typeof openDockerSandbox>>;

/** What a run wrote is synchronised after this long, unless the user sets another time. */
const SETTLE: Duration = 3000;
/** `$1`: the path. A link or a folder in its place is replaced, and never written through. */
const WRITE = `
  next=$(mktemp) && cat >"$next" && chmod 644 "$next" && mkdir -p -- "$(dirname -- "$1")" || exit
  if [ -L "$1" ] || [ ! -f "$1" ]; then rm -rf -- "$1"; fi
  mv -f -- "$next" "$1"`;
const DIGEST = `
  for path; do
    if [ -f "$path" ] && [ ! -L "$path" ]; then sha256sum <"$path"; else echo none; fi
  done`;

/** Why no Docker Sandbox can be used here; null if one can. `cwd`: the work tree, where we look for no programs. */
export function whyNoDockerSandbox(env: NodeJS.ProcessEnv, cwd: string): RalphError | null {
  const program = findProgram('docker', pathOutsideOf(cwd, env), '/');
  if (program === null) return unsupported('docker is not on the PATH');
  const { status, stderr } = spawnSync(program, ['sandbox', 'ls'], { env, encoding: 'utf8', stdio: 'pipe' });
  if (status === 0) return null;
  const said = stderr.trim().split('\n')[0] ?? '';
  return unsupported(`"docker sandbox ls" failed${said === '' ? '' : ` (${said})`}`);
}

function unsupported(reason: string): RalphError {
  return new RalphError('NO_SANDBOX', `Docker Sandbox cannot be used: ${reason}`, {
    hint: "It needs Docker Desktop 4.58 or newer with Sandboxes enabled; --sandbox=os is the operating system's own.",
  });
}

export function dockerPolicy(facts: PolicyFacts, overrides: SandboxOverrides, loopPaths?: LoopPaths): DockerPolicy {
  const { workspace, home, git, exists } = facts;
  const template = facts.access.agents.find(({ docker }) => docker !== undefined)?.docker;
  if (template === undefined) throw new Error('a Docker Sandbox is opened only for an agent that has a template');
  const outside = (loopPaths?.shared ?? []).filter((path) => !isUnder(path, workspace));
  // What is shared is fixed when a machine is created: other folders need another machine.
  const name = outside.length === 0 ? sandboxName(workspace) : `${sandboxName(workspace)}-${digestOf(outside.join())}`;
  const registries = ecosystemHosts((file) => exists(`${workspace}/${file}`));
  const hosts = [...template.hosts, ...registries, ...overrides.allowHosts.map(checkedHost)];
  const shared = [...(git === null || git.gitFolder === git.entry ? [] : [git.commonFolder]), ...outside];
  return { name, workspace, shared, home, hosts, template };
}

export function describeDocker({ name, workspace, shared, home, hosts }: DockerPolicy): string[] {
  return [
    `  machine: ${name}`,
    ...section('is shared, to be read and written', [workspace, ...shared, authFolder(home)]),
    ...section('may be reached', hosts),
  ];
}

export function insidePath(called: string): string {
  return `${AGENT_HOME}/.ralph/${called}`;
}

export function dockerRun(
  name: string,
  argv: readonly string[],
  { flagInside }: Pick<DockerTemplate, 'flagInside'>,
  program = 'docker',
): [string, ...string[]] {
  return [program, 'sandbox', 'run', name, '--', ...argv.slice(1).filter((word) => word !== flagInside)];
}

export async function openDockerSandbox(options: DockerSandboxOptions) {
  const { env, folder, request, loopPaths, tell } = options;
  const settleMs = request.settleMs ?? SETTLE;
  const policy = dockerPolicy(policyFacts(options), request, loopPaths);
  const { name, workspace, shared, hosts } = policy;
  const PATH = pathOutsideOf(workspace, env);
  const program = findProgram('docker', PATH, '/') ?? 'docker';
  const docker = dockerSandboxCommand(program, env);
  await prepareSandbox(docker, policy, tell);
  const stop = async (): Promise<void> => void (await docker(['stop', name]));
  const exec = (script: string, args: readonly string[]): Promise<string> =>
    docker(['exec', name, 'bash', '-c', script, 'ralph', ...args]);
  const agentCommand = (argv: readonly string[]): [string, ...string[]] =>
    dockerRun(name, argv, policy.template, program);
  /** Call after a run: waits for its files. A run that was cut off continues inside until the machine is stopped. */
  const afterRun = async (cutOff: boolean): Promise<void> => {
    if (cutOff) await stop();
    await sleep(settleMs);
  };
  const enclosure: Enclosure = {
    env: {},
    enclose: async (argv) => selfContained([program, 'sandbox', 'exec', '-w', workspace, name, ...argv]),
    outsideProblem: repositoryWatch(folder, workspace, { ...env, PATH }),
    mayWrite: (path) => [workspace, ...shared].some((at) => isUnder(path, at)),
    sweep: stop,
  };
  return {
    ...enclosure,
    name,
    hosts,
    agentCommand,
    afterRun,
    /** What was edited here while the loop paused is visible inside from now on. */
    resync: stop,
    awaitSync: (): Promise<void> => sleep(settleMs),
    /** Bypasses the synchronisation, which copies no file in twice. The path is the same inside; null removes it. */
    async write(path: string, content: string | Uint8Array | null): Promise<void> {
      if (content === null) await exec('rm -rf -- "$1"', [path]);
      else await docker(['exec', '-i', name, 'bash', '-c', WRITE, 'write', path], content);
    },
    /** The SHA-256 digests of files as they are inside; null for anything but a plain file. */
    async digests(paths: readonly string[]): Promise<(string | null)[]> {
      const lines = (await exec(DIGEST, paths)).trimEnd().split('\n');
      return paths.map((_path, index) => /^[0-9a-f]{64}(?= {2}-$)/.exec(lines[index] ?? '')?.[0] ?? null);
    },
    /** Copies a folder that is not shared, unless it is inside already, and returns its path there. */
    async load(from: string, called: string): Promise<string> {
      await copyFolderIn(docker, name, from, insidePath(called));
      return insidePath(called);
    },
    /** The agent runs through Docker; everything else is up to the given runner. */
    runner: (inner: Runner): Runner => ({
      ...inner,
      isElsewhere: true,
      start: (run) => inner.start({ ...run, argv: agentCommand(run.argv) }),
      async await(run, watch) {
        const exit = await inner.await(run, watch);
        await afterRun(watch.signal.aborted || exit.by === 'unseen');
        return exit;
      },
    }),
  };
}

/** What is asked for and no Docker Sandbox can provide; null if there is nothing. */
export function whatDockerCannot({ agents, inDocker }: AgentsAccess, overrides: SandboxOverrides): RalphError | null {
  const { allowWrite, denyWrite, denyRead } = overrides;
  const other = agents.find(({ docker }) => docker === undefined);
  if (other !== undefined) {
    const hint = "--sandbox=os is the operating system's own.";
    return new RalphError('DOCKER', `Docker Sandbox runs ${listed(inDocker, 'and')}, not ${other.command}`, { hint });
  }
  const [path] = [...allowWrite, ...denyWrite, ...denyRead];
  if (path === undefined) return null;
  const fact = `"${path}" cannot be given to a Docker Sandbox, which shares the work tree and nothing else`;
  const hint = 'Leave out --allow-write, --deny-write and --deny-read, or use --sandbox=os.';
  return new RalphError('DOCKER', fact, { hint });
}
