/** Chooses where a loop's programs run (by default in the strongest sandbox), and describes it in one line. */

import { plural } from '../core/budget/usage.ts';
import { RalphError } from '../core/error.ts';
import type { Duration } from '../core/time.ts';
import type { Enclosure, Host } from '../process/host.ts';
import { directRunner } from './direct.ts';
import type { DockerSandbox, DockerSandboxOptions } from './docker-sandbox.ts';
import type { OsSandboxOptions, PaneFiles } from './os-sandbox.ts';
import type { Runner } from './runner.ts';
import type { SandboxPlace } from './sandbox/facts.ts';
import {
  NO_SANDBOX,
  refuseIdle,
  resolvedRequest,
  type SandboxRequest,
  type SandboxSettings,
} from './sandbox/request.ts';
import { tmuxRunner } from './tmux.ts';

export interface IsolationOptions
  extends Pick<SandboxPlace, 'cwd' | 'stateRoot' | 'access'>,
    Pick<OsSandboxOptions, 'loopPaths' | 'inheritFrom' | 'hasHelper' | 'warn'>,
    Pick<DockerSandboxOptions, 'tell'> {
  readonly loop: { readonly id: string; readonly folder: string };
  /** The command line that starts this program; null for a copy of it that cannot start itself in a sandbox. */
  readonly self: OsSandboxOptions['self'] | null;
  readonly host: Host;
  readonly grace: Duration;
  readonly runner: 'direct' | 'tmux';
}

export interface Isolation {
  /** For guardrails and source control: whatever runs with it is in the sandbox, too. */
  readonly host: Host;
  /** Closing it closes the sandbox. */
  readonly runner: Runner;
  /** For an agent that is started elsewhere, in a pane; null without a sandbox. */
  readonly pane: PaneEnclosure | null;
  /** What isolates the agent, in a line to print at the start. */
  readonly says: string;
  /** How much the operating system's sandbox lets through, in numbers. */
  readonly bounds?: string;
  /** For a sandbox whose files are copied in and out by a synchronisation that needs help. */
  readonly synced?: Synced;
}

export type Synced = Pick<DockerSandbox, 'name' | 'resync' | 'awaitSync' | 'write' | 'digests' | 'load'>;

/** Puts an agent with a terminal of its own into the sandbox. */
export interface PaneEnclosure extends Pick<Enclosure, 'env'> {
  enclose(argv: readonly string[], files: PaneFiles): [string, ...string[]];
  /** Call after a run. `cutOff`: we ended it, and it may continue where we do not see it. */
  afterRun(cutOff: boolean): Promise<void>;
}

/** `cwd`: the work tree, in which none of our own programs is looked for. */
interface Asked extends Pick<SandboxPlace, 'access' | 'env' | 'cwd'> {
  readonly self?: IsolationOptions['self'];
  /** Why Docker's, the strongest, cannot be chosen; absent if it can. */
  readonly notDocker?: string;
}

/** Why no stronger kind was chosen; null if the strongest was not asked for, or none is stronger. */
export interface PassedOver {
  readonly docker: string | null;
  readonly os: string | null;
}

type Kind = 'none' | 'os' | 'docker';

/** `auto` takes the strongest available; a named kind must be available. `needs`: paths that the loop must write. */
export async function resolveSandbox(
  given: SandboxRequest | null,
  settings: SandboxSettings | undefined,
  asked: Asked & { readonly otherwise?: 'none' | 'auto'; readonly needs?: readonly string[] },
): Promise<{ readonly request: SandboxRequest & { readonly kind: Kind }; readonly passedOver: PassedOver }> {
  const { otherwise, needs = [] } = asked;
  const said = resolvedRequest(given, settings, otherwise);
  const request = said.kind === 'none' ? said : { ...said, allowWrite: [...said.allowWrite, ...needs] };
  const kind = request.kind ?? 'none';
  if (kind !== 'auto') {
    await requireKind(kind, request, asked);
    return { request: { ...request, kind }, passedOver: { docker: null, os: null } };
  }
  const docker = asked.notDocker ?? (await whyNot('docker', request, asked))?.message ?? null;
  if (docker === null) return { request: { ...request, kind: 'docker' }, passedOver: { docker, os: null } };
  const os = (await whyNot('os', request, asked))?.message ?? null;
  if (os === null) return { request: { ...request, kind: 'os' }, passedOver: { docker, os } };
  refuseIdle(given, `Docker: ${docker}; operating system's: ${os}.`);
  return { request: { ...NO_SANDBOX, kind: 'none' }, passedOver: { docker, os } };
}

/** A sandbox's code is loaded only if there is one: a loop without a sandbox must not start slower for it. */
export async function isolate(request: SandboxRequest | null, options: IsolationOptions): Promise<Isolation> {
  const kind = request?.kind ?? 'none';
  if (kind === 'auto')
    throw new Error('the strongest sandbox is looked for before a loop begins, not when it is opened');
  const { loop, host, self, runner, grace } = options;
  const free = (): Runner => (runner === 'tmux' ? tmuxRunner : directRunner)({ host, grace });
  if (request === null || kind === 'none') {
    return { host, runner: free(), pane: null, says: 'Isolation: none, the agent can do whatever you can' };
  }
  const place = { ...options, loop: loop.id, folder: loop.folder, env: host.env, request };
  if (kind === 'docker') {
    await requireKind(kind, request, place);
    const { openDockerSandbox } = await import('./docker-sandbox.ts');
    const box = await openDockerSandbox(place);
    const says = `Isolation: Docker Sandbox ${box.name} (${plural(box.hosts.length, 'host')})`;
    const pane: PaneEnclosure = { enclose: box.agentCommand, env: box.env, afterRun: box.afterRun };
    return { host: { ...host, enclosure: box }, runner: box.runner(free()), pane, says, synced: box };
  }
  if (self === null) throw needsCommand();
  const { openOsSandbox } = await import('./os-sandbox.ts');
  const { enclosedRunner } = await import('./enclosed-runner.ts');
  const box = openOsSandbox({ ...place, self });
  const { writable, hosts } = box.policy;
  const bounds = `${plural(writable.length, 'writable path')}, ${plural(hosts.length, 'host')}`;
  const says = `Isolation: operating system's sandbox (${bounds})`;
  const pane: PaneEnclosure = { enclose: box.command, env: box.env, afterRun: async () => void box.quarantine() };
  // What needs the user's keys runs outside, and runs nothing that the agent could have planted.
  const env = { ...host.env, ...box.outside };
  return { host: { ...host, env, enclosure: box }, runner: enclosedRunner(free(), box), pane, says, bounds };
}

async function requireKind(kind: Kind, request: SandboxRequest, asked: Asked): Promise<void> {
  const problem = kind === 'none' ? null : await whyNot(kind, request, asked);
  if (problem !== null) throw problem;
}

async function whyNot(kind: 'os' | 'docker', request: SandboxRequest, asked: Asked): Promise<RalphError | null> {
  const { env, self, cwd, access } = asked;
  if (kind === 'docker') {
    const { whatDockerCannot, whyNoDockerSandbox } = await import('./docker-sandbox.ts');
    return whyNoDockerSandbox(env, cwd) ?? whatDockerCannot(access, request);
  }
  if (self === null) return needsCommand();
  const support = (await import('./sandbox/support.ts')).osSandboxSupport(env, cwd, self ?? []);
  return support instanceof RalphError ? support : null;
}

function needsCommand(): RalphError {
  const hint = 'Install it: npm install -g ralph-harness; or run without: --no-sandbox';
  return new RalphError('NO_SANDBOX', "the operating system's sandbox needs the ralph command", { hint });
}
