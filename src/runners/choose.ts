/** Chooses where a loop's programs run, strongest first where the caller leaves it open, and says so in one line. */
import type { AgentsAccess } from '../core/agent-access.ts';
import { defined } from '../core/defined.ts';
import { RalphError } from '../core/error.ts';
import type { Duration } from '../core/time.ts';
import { plural } from '../core/usage.ts';
import type { Enclosure, Host } from '../process/host.ts';
import { directRunner } from './direct.ts';
import type { DockerSandbox, DockerSandboxOptions } from './docker-sandbox.ts';
import type { OsSandboxOptions } from './os-sandbox.ts';
import type { Runner } from './runner.ts';
import type { LoopPaths } from './sandbox/policy.ts';
import {
  NO_SANDBOX,
  refuseIdle,
  resolvedRequest,
  type SandboxRequest,
  type SandboxSettings,
  type SandboxWish,
} from './sandbox/request.ts';
import { tmuxRunner } from './tmux.ts';

export interface IsolationOptions {
  readonly loop: { readonly id: string; readonly folder: string };
  readonly cwd: string;
  readonly stateRoot: string;
  /** Of all agents that the loop calls. */
  readonly access: AgentsAccess;
  /** The command line that starts this program; null for a copy of it that cannot start itself in a sandbox. */
  readonly self: readonly [string, ...string[]] | null;
  readonly host: Host;
  readonly grace: Duration;
  readonly runner: 'direct' | 'tmux';
  /** Says what takes a while. */
  readonly tell?: (line: string) => void;
  readonly loopPaths?: LoopPaths;
  /** The folder of a loop whose sandbox this one's is, too. */
  readonly like?: string;
}

export interface Isolation {
  /** For guardrails and the SCM: what runs with it is in the sandbox, too. */
  readonly host: Host;
  /** Closing it closes the sandbox. */
  readonly runner: Runner;
  /** For an agent that is started elsewhere, in a pane; null without a sandbox. */
  readonly pane: PaneEnclosure | null;
  /** What protects from what, in a line for the start. */
  readonly says: string;
  /** How much the operating system's sandbox lets through, in numbers. */
  readonly bounds?: string;
  /** Where files go in and out by a synchronisation that has to be helped. */
  readonly synced?: Synced;
}

export type Synced = Pick<DockerSandbox, 'name' | 'resync' | 'settle' | 'write' | 'digests' | 'load'>;

/** Puts an agent into the sandbox that has a terminal of its own. */
export interface PaneEnclosure extends Pick<Enclosure, 'enclose' | 'env'> {
  /** After a run. `cutOff`: it was ended by us, and may go on where we do not see it. */
  settled(cutOff: boolean): Promise<void>;
}

interface Asked extends Pick<IsolationOptions, 'access'> {
  readonly env: NodeJS.ProcessEnv;
  readonly wish: SandboxWish;
  readonly self?: IsolationOptions['self'];
  /** The work tree, in which no program of ours is looked for. */
  readonly cwd: string;
  /** Why the strongest may not be Docker's; absent where it may. */
  readonly notDocker?: string;
}

/** A loop's sandbox before anything is made. */
export interface ResolvedSandbox {
  /** Its kind is one that can be had. */
  readonly request: SandboxRequest & { readonly kind: 'none' | 'os' | 'docker' };
  /** Why it is not a stronger one; null where the strongest was not asked for, or there is none stronger. */
  readonly passedOver: PassedOver;
}

export interface PassedOver {
  readonly docker: string | null;
  readonly os: string | null;
}

/**
 * The command line's word, then the settings', then the loop kind's own; the strongest is looked for, a named one demanded.
 * `needs`: paths outside of the work tree that the loop cannot do without.
 */
export async function resolveSandbox(
  given: SandboxRequest | null,
  settings: SandboxSettings | undefined,
  asked: Omit<Asked, 'wish'> & { readonly otherwise?: 'none' | 'auto'; readonly needs?: readonly string[] },
): Promise<ResolvedSandbox> {
  const { otherwise, needs = [] } = asked;
  const said = resolvedRequest(given, settings, otherwise);
  const request = said.kind === 'none' ? said : { ...said, allowWrite: [...said.allowWrite, ...needs] };
  const kind = request.kind ?? 'none';
  const wanted = { ...asked, wish: request };
  if (kind !== 'auto') {
    await requireKind(kind, wanted);
    return { request: { ...request, kind }, passedOver: { docker: null, os: null } };
  }
  const found = await strongest(wanted);
  if (found.kind === 'none') refuseIdle(given, `Docker: ${found.docker}; operating system's: ${found.os}.`);
  const { docker, os } = found;
  const resolved = found.kind === 'none' ? NO_SANDBOX : request;
  return { request: { ...resolved, kind: found.kind }, passedOver: { docker, os } };
}

/**
 * The runner of a loop as its request was resolved; a loop that says nothing runs freely. What a sandbox needs is loaded
 * only where there is one: a loop without starts as fast as if there were none.
 */
export async function isolate(request: SandboxRequest | null, options: IsolationOptions): Promise<Isolation> {
  const { kind, settleMs, ...wish } = request ?? NO_SANDBOX;
  if (kind === 'auto')
    throw new Error('the strongest sandbox is looked for before a loop begins, not when it is opened');
  const { loop, host, cwd, stateRoot, access, loopPaths, like, runner, grace } = options;
  const free = (): Runner => (runner === 'tmux' ? tmuxRunner : directRunner)({ host, grace });
  if (kind === null || kind === 'none') {
    return { host, runner: free(), pane: null, says: 'Isolation: none, the agent can do whatever you can' };
  }
  await requireKind(kind, { ...options, env: host.env, wish });
  const place = { loop: loop.id, folder: loop.folder, cwd, env: host.env, stateRoot, access, wish };
  const box = { ...place, ...defined({ loopPaths, like }) };
  return kind === 'docker' ? inDocker(box, settleMs, free, options) : inOs(box, free, options);
}

async function requireKind(sandbox: Strongest['kind'], asked: Asked): Promise<void> {
  const problem = sandbox === 'docker' ? await whyNoDocker(asked) : sandbox === 'os' ? await whyNoOs(asked) : null;
  if (problem !== null) throw problem;
}

async function whyNoDocker({ env, wish, access, cwd }: Asked): Promise<RalphError | null> {
  const { whatDockerCannot, whyNoDockerSandbox } = await import('./docker-sandbox.ts');
  return whyNoDockerSandbox(env, cwd) ?? whatDockerCannot(access, wish);
}

async function whyNoOs({ env, self, cwd }: Asked): Promise<RalphError | null> {
  if (self === null) return needsCommand();
  const support = (await import('./os-sandbox.ts')).osSandboxSupport(env, cwd);
  return support instanceof RalphError ? support : null;
}

function needsCommand(): RalphError {
  return new RalphError('NO_SANDBOX', "the operating system's sandbox needs the ralph command", {
    hint: 'Install it: npm install -g ralph-harness; or run without: --no-sandbox',
  });
}

interface Strongest extends PassedOver {
  readonly kind: 'none' | 'os' | 'docker';
}

async function strongest(asked: Asked): Promise<Strongest> {
  const docker = asked.notDocker ?? (await whyNoDocker(asked))?.message ?? null;
  if (docker === null) return { kind: 'docker', docker, os: null };
  const os = (await whyNoOs(asked))?.message ?? null;
  return { kind: os === null ? 'os' : 'none', docker, os };
}

async function inOs(
  place: Omit<OsSandboxOptions, 'self' | 'grace'>,
  free: () => Runner,
  { host, grace, self }: IsolationOptions,
): Promise<Isolation> {
  const { enclosedRunner, openOsSandbox } = await import('./os-sandbox.ts');
  if (self === null) throw needsCommand();
  const box = openOsSandbox({ ...place, self, grace });
  const { writable, hosts } = box.policy;
  const bounds = `${plural(writable.length, 'writable path')}, ${plural(hosts.length, 'host')}`;
  const says = `Isolation: operating system's sandbox (${bounds})`;
  const pane: PaneEnclosure = { enclose: box.enclose, env: box.env, settled: async () => void box.putAside() };
  // What needs the user's keys runs outside, and runs nothing that the agent could plant.
  const env = { ...host.env, ...box.outside };
  return { host: { ...host, env, enclosure: box }, runner: enclosedRunner(free(), box), pane, says, bounds };
}

async function inDocker(
  place: DockerSandboxOptions,
  settleMs: Duration | null,
  free: () => Runner,
  { host, tell }: IsolationOptions,
): Promise<Isolation> {
  const { openDockerSandbox } = await import('./docker-sandbox.ts');
  const box = await openDockerSandbox({ ...place, ...defined({ tell, settle: settleMs ?? undefined }) });
  const says = `Isolation: Docker Sandbox ${box.name} (${plural(box.hosts.length, 'host')})`;
  const pane: PaneEnclosure = { enclose: box.agentCommand, env: box.env, settled: box.settled };
  return { host: { ...host, enclosure: box }, runner: box.runner(free()), pane, says, synced: box };
}
