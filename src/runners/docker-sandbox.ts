/**
 * Runs Claude Code in a Docker Sandbox: a virtual machine that shares the work tree. What happens inside is not ours to
 * contain, so a run that is cut off is ended by stopping the machine.
 */
import { spawnSync } from 'node:child_process';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { digestOf } from '../core/digest.ts';
import { RalphError } from '../core/error.ts';
import type { Duration } from '../core/time.ts';
import type { Enclosure } from '../process/host.ts';
import { findProgram } from '../process/which.ts';
import { dockerSandboxCommand } from './docker/command.ts';
import { must, prepareSandbox, resync, sandboxName } from './docker/prepare.ts';
import type { Runner } from './runner.ts';
import { policyFacts, type SandboxPlace } from './sandbox/facts.ts';
import { checkedHost, ecosystemHosts } from './sandbox/hosts.ts';
import { type DoorPaths, isUnder, type SandboxWish } from './sandbox/policy.ts';
import { repositoryWatch } from './sandbox/repository-watch.ts';

export interface DockerSandbox extends Enclosure {
  readonly name: string;
  readonly hosts: readonly string[];
  /** The agent's run goes through Docker; the rest is as with the runner that is given. */
  runner(inner: Runner): Runner;
  /** What was edited here while the loop paused is seen inside from now on. */
  resync(): Promise<void>;
  /** Past the synchronisation, which never carries a file in twice. The path is the same inside. */
  write(path: string, content: string): Promise<void>;
}

export interface DockerSandboxOptions extends SandboxPlace {
  readonly wish: SandboxWish;
  /** The loop's own folder. */
  readonly folder: string;
  /** What a run wrote is here after this long. */
  readonly settle?: Duration;
  readonly door?: DoorPaths;
}

export type DockerSupport = { readonly works: true } | { readonly works: false; readonly reason: string };

const SETTLE: Duration = 3000;
/** Beside the project's own registries. */
const HOSTS = ['*.anthropic.com', 'platform.claude.com:443', 'github.com', '*.githubusercontent.com', 'api.github.com'];
/** The template gives it to the agent itself. */
const GIVEN_INSIDE = '--dangerously-skip-permissions';

export function dockerSandboxSupport(env: NodeJS.ProcessEnv): DockerSupport {
  if (findProgram('docker', env.PATH, '/') === null) return { works: false, reason: 'docker is not on the PATH' };
  const { status, stderr } = spawnSync('docker', ['sandbox', 'ls'], {
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  if (status === 0) return { works: true };
  const said = stderr.trim().split('\n')[0] ?? '';
  return { works: false, reason: `"docker sandbox ls" failed${said === '' ? '' : ` (${said})`}` };
}

export function noDockerSandbox(reason: string): RalphError {
  return new RalphError('NO_SANDBOX', `Docker Sandbox cannot be used: ${reason}`, {
    hint: "It needs Docker Desktop 4.58 or newer with Sandboxes enabled; --sandbox=os is the operating system's own.",
    exitCode: 2,
  });
}

export async function openDockerSandbox(options: DockerSandboxOptions): Promise<DockerSandbox> {
  const { env, wish, settle = SETTLE } = options;
  const { workspace, home, git, exists } = policyFacts(options);
  const outside = (options.door?.shared ?? []).filter((path) => !isUnder(path, workspace));
  // What is shared is settled when a machine is made: with other folders it is another one.
  const name = outside.length === 0 ? sandboxName(workspace) : `${sandboxName(workspace)}-${digestOf(outside.join())}`;
  const hosts = [
    ...HOSTS,
    ...ecosystemHosts((file) => exists(`${workspace}/${file}`)),
    ...wish.allowHosts.map(checkedHost),
  ];
  const docker = dockerSandboxCommand(env);
  const shared = [...(git === null || git.gitFolder === git.entry ? [] : [git.commonFolder]), ...outside];
  await prepareSandbox(docker, { name, workspace, shared, home, hosts });
  const stop = (): Promise<void> => resync(docker, name);
  return {
    name,
    hosts,
    env: {},
    enclose: (argv) => ['docker', 'sandbox', 'exec', '-w', workspace, name, ...argv],
    outsideProblem: repositoryWatch({ ...options, workspace }),
    mayWrite: (path) => [workspace, ...shared].some((folder) => isUnder(path, folder)),
    sweep: stop,
    resync: stop,
    async write(path, content) {
      must('exec', await docker(['exec', '-i', name, 'bash', '-c', 'cat > "$1"', 'write', path], content));
    },
    runner: (inner) => ({
      ...inner,
      start: (run) => {
        const args = run.argv.slice(1).filter((word) => word !== GIVEN_INSIDE);
        return inner.start({ ...run, argv: ['docker', 'sandbox', 'run', name, '--', ...args] });
      },
      async await(run, watch) {
        const exit = await inner.await(run, watch);
        if (watch.signal.aborted || exit.by === 'unseen') await stop();
        await sleep(settle);
        return exit;
      },
    }),
  };
}

export function refuseWhatItCannot(agent: string, { allowWrite, denyWrite, denyRead }: SandboxWish): void {
  const refused = (what: string, hint: string): RalphError => new RalphError('DOCKER', what, { hint, exitCode: 2 });
  if (basename(agent) !== 'claude') {
    throw refused(`Docker Sandbox runs Claude Code, not ${agent}`, "--sandbox=os is the operating system's own.");
  }
  const [path] = [...allowWrite, ...denyWrite, ...denyRead];
  if (path === undefined) return;
  throw refused(
    `"${path}" cannot be given to a Docker Sandbox, which shares the work tree and nothing else`,
    'Leave out --allow-write, --deny-write and --deny-read, or use --sandbox=os.',
  );
}
