/** Chooses where a loop's programs run, strongest first where the caller leaves it open, and says so in one line. */
import type { AgentsAccess } from '../core/agent-access.ts';
import { RalphError } from '../core/error.ts';
import type { Duration } from '../core/time.ts';
import type { Enclosure, Host } from '../process/host.ts';
import { directRunner } from './direct.ts';
import type { DockerSandbox } from './docker-sandbox.ts';
import type { Runner } from './runner.ts';
import type { LoopPaths, SandboxWish } from './sandbox/policy.ts';
import {
  NO_SANDBOX,
  refuseIdle,
  type SandboxRequest,
  type SandboxSettings,
  settledSandbox,
} from './sandbox/request.ts';
import { tmuxRunner } from './tmux.ts';

/** What can be opened: whoever wants the strongest has found out before which that is. */
type SandboxKind = SettledSandbox['request']['kind'];

export interface IsolationOptions extends Where {
  readonly host: Host;
  readonly grace: Duration;
  readonly runner: 'direct' | 'tmux';
  readonly sandbox: SandboxKind;
  readonly wish: SandboxWish;
  /** How long the files of a run need to come out of Docker; its own figure unless given. */
  readonly settle?: Duration;
  /** Says what takes a while. */
  readonly tell?: ((line: string) => void) | undefined;
  readonly loopPaths?: LoopPaths;
  /** The folder of a loop whose sandbox this one's is, too. */
  readonly like?: string;
}

interface Where {
  readonly loop: { readonly id: string; readonly folder: string };
  readonly cwd: string;
  readonly stateRoot: string;
  /** Of all agents that the loop calls. */
  readonly access: AgentsAccess;
  /** The command line that starts this program. */
  readonly self: readonly [string, ...string[]];
}

export interface Isolation {
  /** For guardrails and the SCM: what runs with it is in the sandbox, too. */
  readonly host: Host;
  /** Closing it closes the sandbox. */
  readonly runner: Runner;
  /** For an agent that somebody else starts, in a pane; null without a sandbox. */
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

interface Asked extends Pick<IsolationOptions, 'access' | 'wish'> {
  readonly env: NodeJS.ProcessEnv;
  /** Null for a copy of this program that cannot start itself in a sandbox. */
  readonly self?: IsolationOptions['self'] | null;
  /** The work tree, in which no program of ours is looked for. */
  readonly cwd: string;
  /** Why the strongest may not be Docker's; absent where it may. */
  readonly notDocker?: string;
}

/** What a loop's sandbox has come to be, before anything is made. */
export interface SettledSandbox {
  /** Its kind is one that can be had. */
  readonly request: SandboxRequest & { readonly kind: 'none' | 'os' | 'docker' };
  /** Why it is not a stronger one; null where nobody asked for the strongest, or where there is none stronger. */
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
): Promise<SettledSandbox> {
  const { otherwise, needs = [] } = asked;
  const said = settledSandbox(given, settings, otherwise);
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
  const settled = found.kind === 'none' ? NO_SANDBOX : request;
  return { request: { ...settled, kind: found.kind }, passedOver: { docker, os } };
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
  if (kind === 'auto')
    throw new Error('the strongest sandbox is looked for before a loop begins, not when it is opened');
  if (kind === 'os' && options.self === null) throw needsCommand();
  return chooseRunner({ ...options, self: options.self ?? ['ralph'], sandbox: kind ?? 'none', wish, ...settle });
}

async function requireKind(sandbox: SandboxKind, asked: Asked): Promise<void> {
  const problem = sandbox === 'docker' ? await whyNoDocker(asked) : sandbox === 'os' ? await whyNoOs(asked) : null;
  if (problem !== null) throw problem;
}

async function whyNoDocker({ env, wish, access, cwd }: Asked): Promise<RalphError | null> {
  const { dockerSandboxSupport, noDockerSandbox, whatDockerCannot } = await import('./docker-sandbox.ts');
  const support = dockerSandboxSupport(env, cwd);
  return support.works ? whatDockerCannot(access, wish) : noDockerSandbox(support.reason);
}

async function whyNoOs({ env, self, cwd }: Asked): Promise<RalphError | null> {
  if (self === null) return needsCommand();
  const { noOsSandbox, osSandboxSupport } = await import('./os-sandbox.ts');
  const support = osSandboxSupport(env, cwd);
  return support.works ? null : noOsSandbox(support);
}

function needsCommand(): RalphError {
  return new RalphError('NO_SANDBOX', "the operating system's sandbox needs the ralph command", {
    hint: 'Install it: npm install -g ralph-harness; or run without: --no-sandbox',
    exitCode: 2,
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

/** What a sandbox needs is loaded for those who ask: a loop without one starts as fast as if there were none. */
export async function chooseRunner(options: IsolationOptions): Promise<Isolation> {
  const { sandbox } = options;
  if (sandbox === 'none') return direct(options);
  const asked = { ...options, env: options.host.env };
  await requireKind(sandbox, asked);
  return sandbox === 'docker' ? inDocker(options) : inOs(options);
}

function direct(options: IsolationOptions): Isolation {
  const says = 'Isolation: none, the agent can do whatever you can';
  return { host: options.host, runner: freeRunner(options), pane: null, says };
}

async function inOs(options: IsolationOptions): Promise<Isolation> {
  const { openOsSandbox } = await import('./os-sandbox.ts');
  const { enclosedRunner } = await import('./enclosed.ts');
  const box = openOsSandbox({ ...placeOf(options), self: options.self, grace: options.grace });
  const inner = enclosedRunner(freeRunner(options), box);
  const close = async (): Promise<void> => {
    await inner.close();
    box.close();
  };
  const { writable, hosts } = box.policy;
  const bounds = `${count(writable.length, 'writable path')}, ${count(hosts.length, 'host')}`;
  const says = `Isolation: operating system's sandbox (${bounds})`;
  const pane: PaneEnclosure = { enclose: box.enclose, env: box.env, settled: async () => void box.putAside() };
  // What needs the user's keys runs outside, and runs nothing that the agent could plant.
  const env = { ...options.host.env, ...box.outside };
  return { host: { ...options.host, env, enclosure: box }, runner: { ...inner, close }, pane, says, bounds };
}

async function inDocker(options: IsolationOptions): Promise<Isolation> {
  const { openDockerSandbox } = await import('./docker-sandbox.ts');
  const { settle, tell } = options;
  const box = await openDockerSandbox({ ...placeOf(options), tell, ...(settle === undefined ? {} : { settle }) });
  const says = `Isolation: Docker Sandbox ${box.name} (${count(box.hosts.length, 'host')})`;
  const pane: PaneEnclosure = { enclose: box.agentCommand, env: box.env, settled: box.settled };
  const runner = box.runner(freeRunner(options));
  return { host: { ...options.host, enclosure: box }, runner, pane, says, synced: box };
}

function freeRunner({ runner, host, grace }: IsolationOptions): Runner {
  return (runner === 'tmux' ? tmuxRunner : directRunner)({ host, grace });
}

function placeOf({ loop, host, cwd, stateRoot, access, wish, loopPaths, like }: IsolationOptions) {
  const own = { ...(loopPaths === undefined ? {} : { loopPaths }), ...(like === undefined ? {} : { like }) };
  return { loop: loop.id, folder: loop.folder, cwd, env: host.env, stateRoot, access, wish, ...own };
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
