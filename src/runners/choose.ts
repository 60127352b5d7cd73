/** Chooses where a loop's programs run, strongest first where the caller leaves it open, and says so in one line. */
import { basename } from 'node:path';
import { RalphError } from '../core/error.ts';
import type { Duration } from '../core/time.ts';
import type { Host } from '../process/host.ts';
import { directRunner } from './direct.ts';
import type { DockerSandbox } from './docker-sandbox.ts';
import type { Runner } from './runner.ts';
import type { DoorPaths, SandboxWish } from './sandbox/policy.ts';
import { NO_SANDBOX, type SandboxRequest } from './sandbox/request.ts';
import { tmuxRunner } from './tmux.ts';

/** `strongest`: the best that this machine has, which may be none. The others are taken, or refused with the reason. */
export type SandboxKind = 'none' | 'os' | 'docker' | 'strongest';

export interface IsolationOptions extends Where {
  readonly host: Host;
  readonly grace: Duration;
  readonly runner: 'direct' | 'tmux';
  readonly sandbox: SandboxKind;
  readonly wish: SandboxWish;
  /** How long the files of a run need to come out of Docker; its own figure unless given. */
  readonly settle?: Duration;
  readonly door?: DoorPaths;
  /** The folder of a loop whose sandbox this one's is, too. */
  readonly like?: string;
}

interface Where {
  readonly loop: { readonly id: string; readonly folder: string };
  readonly cwd: string;
  readonly stateRoot: string;
  /** The agent's command. */
  readonly agent: string;
  /** The command line that starts this program. */
  readonly self: readonly [string, ...string[]];
}

export interface Isolation {
  /** For guardrails and the SCM: what runs with it is in the sandbox, too. */
  readonly host: Host;
  /** Closing it closes the sandbox. */
  readonly runner: Runner;
  /** What protects from what, in a line for the start. */
  readonly says: string;
  /** Where files go in and out by a synchronisation that has to be helped. */
  readonly synced?: Pick<DockerSandbox, 'resync' | 'write'>;
}

interface Asked extends Pick<IsolationOptions, 'agent' | 'wish'> {
  readonly env: NodeJS.ProcessEnv;
}

/** Throws when a sandbox that is asked for by its name cannot be had: before anything is made. */
export function requireSandbox(request: SandboxRequest, { env, agent }: Omit<Asked, 'wish'>): Promise<void> {
  const { kind, ...wish } = request;
  return requireKind(kind ?? 'none', { env, agent, wish });
}

/** The runner of a loop as its request has settled it; a loop that says nothing runs freely. */
export function isolate(
  request: SandboxRequest | null,
  options: Omit<IsolationOptions, 'sandbox' | 'wish' | 'settle' | 'self'> & {
    readonly self: IsolationOptions['self'] | null;
  },
): Promise<Isolation> {
  const { kind, settleMs, ...wish } = request ?? NO_SANDBOX;
  const settle = settleMs === null ? {} : { settle: settleMs };
  if (kind === 'os' && options.self === null) {
    throw new RalphError('SANDBOX', 'a sandbox needs the ralph command', { hint: 'Run: ralph run', exitCode: 2 });
  }
  return chooseRunner({ ...options, self: options.self ?? ['ralph'], sandbox: kind ?? 'none', wish, ...settle });
}

async function requireKind(sandbox: SandboxKind, { env, agent, wish }: Asked): Promise<void> {
  if (sandbox === 'docker') {
    const { dockerSandboxSupport, noDockerSandbox, refuseWhatItCannot } = await import('./docker-sandbox.ts');
    const support = dockerSandboxSupport(env);
    if (!support.works) throw noDockerSandbox(support.reason);
    refuseWhatItCannot(agent, wish);
  }
  if (sandbox === 'os') {
    const { noOsSandbox, osSandboxSupport } = await import('./os-sandbox.ts');
    const support = osSandboxSupport(env);
    if (!support.works) throw noOsSandbox(support);
  }
}

/** What a sandbox needs is loaded for those who ask: a loop without one starts as fast as if there were none. */
export async function chooseRunner(options: IsolationOptions): Promise<Isolation> {
  const { sandbox } = options;
  if (sandbox === 'none') return direct(options);
  if (sandbox === 'strongest') return strongest(options);
  await requireKind(sandbox, { ...options, env: options.host.env });
  return sandbox === 'docker' ? inDocker(options) : inOs(options);
}

async function strongest(options: IsolationOptions): Promise<Isolation> {
  const { host, agent } = options;
  const { dockerSandboxSupport } = await import('./docker-sandbox.ts');
  // It runs this agent only; the next best is better than a refusal.
  const docker = basename(agent) === 'claude' ? dockerSandboxSupport(host.env) : { works: false };
  if (docker.works) return inDocker(options);
  const { osSandboxSupport } = await import('./os-sandbox.ts');
  const os = osSandboxSupport(host.env);
  return os.works ? inOs(options) : direct(options, ` (no sandbox: ${os.reason})`);
}

function direct(options: IsolationOptions, why = ''): Isolation {
  const says = `Isolation: none, the agent can do whatever you can${why}`;
  return { host: options.host, runner: freeRunner(options), says };
}

async function inOs(options: IsolationOptions): Promise<Isolation> {
  const { openOsSandbox } = await import('./os-sandbox.ts');
  const { enclosedRunner } = await import('./enclosed.ts');
  const box = openOsSandbox({ ...placeOf(options), self: options.self });
  const inner = enclosedRunner(freeRunner(options), box);
  const close = async (): Promise<void> => {
    await inner.close();
    box.close();
  };
  const { writable, hosts } = box.policy;
  const bounds = `${count(writable.length, 'writable path')}, ${count(hosts.length, 'host')}`;
  const says = `Isolation: operating system's sandbox (${bounds})`;
  return { host: { ...options.host, enclosure: box }, runner: { ...inner, close }, says };
}

async function inDocker(options: IsolationOptions): Promise<Isolation> {
  const { openDockerSandbox } = await import('./docker-sandbox.ts');
  const { settle } = options;
  const box = await openDockerSandbox({ ...placeOf(options), ...(settle === undefined ? {} : { settle }) });
  const says = `Isolation: Docker Sandbox ${box.name} (${count(box.hosts.length, 'host')})`;
  return { host: { ...options.host, enclosure: box }, runner: box.runner(freeRunner(options)), says, synced: box };
}

function freeRunner({ runner, host, grace }: IsolationOptions): Runner {
  return (runner === 'tmux' ? tmuxRunner : directRunner)({ host, grace });
}

function placeOf({ loop, host, cwd, stateRoot, agent, wish, door, like }: IsolationOptions) {
  const own = { ...(door === undefined ? {} : { door }), ...(like === undefined ? {} : { like }) };
  return { loop: loop.id, folder: loop.folder, cwd, env: host.env, stateRoot, agent, wish, ...own };
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
