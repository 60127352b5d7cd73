/** Chooses where a loop's programs run, strongest first where the caller leaves it open, and says so in one line. */
import type { Duration } from '../core/time.ts';
import type { Host } from '../process/host.ts';
import { directRunner } from './direct.ts';
import type { Runner } from './runner.ts';
import type { SandboxPolicy, SandboxWish } from './sandbox/policy.ts';
import { tmuxRunner } from './tmux.ts';

/** `strongest`: the best that this machine has, which may be none. The others are taken, or refused with the reason. */
export type SandboxKind = 'none' | 'os' | 'docker' | 'strongest';

export interface IsolationOptions extends Where {
  readonly host: Host;
  readonly grace: Duration;
  readonly runner: 'direct' | 'tmux';
  readonly sandbox: SandboxKind;
  readonly wish: SandboxWish;
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
}

/** Throws when a sandbox that is asked for by its name cannot be had: before anything is made. */
export async function requireSandbox(sandbox: SandboxKind, env: NodeJS.ProcessEnv): Promise<void> {
  if (sandbox === 'docker') {
    const { dockerSandboxSupport, noDockerSandbox } = await import('./docker-sandbox.ts');
    const support = dockerSandboxSupport(env);
    throw noDockerSandbox(support.works ? 'this release has no runner for it' : support.reason);
  }
  if (sandbox === 'os') {
    const { noOsSandbox, osSandboxSupport } = await import('./os-sandbox.ts');
    const support = osSandboxSupport(env);
    if (!support.works) throw noOsSandbox(support);
  }
}

export async function chooseRunner(options: IsolationOptions): Promise<Isolation> {
  const { host, grace, sandbox } = options;
  const base = options.runner === 'tmux' ? tmuxRunner : directRunner;
  if (sandbox === 'none') return direct(base({ host, grace }), host);
  await requireSandbox(sandbox, host.env);
  // Loaded for those who ask: a loop without a sandbox starts as fast as before.
  const { enclosedRunner } = await import('./enclosed.ts');
  const { openOsSandbox, osSandboxSupport } = await import('./os-sandbox.ts');
  if (sandbox === 'strongest') {
    const support = osSandboxSupport(host.env);
    if (!support.works) return direct(base({ host, grace }), host, ` (no sandbox: ${support.reason})`);
  }
  const { loop, cwd, stateRoot, agent, self, wish } = options;
  const place = { loop: loop.id, folder: loop.folder, cwd, env: host.env, stateRoot, agent, self, wish };
  const box = openOsSandbox(place);
  const inner = enclosedRunner(base({ host, grace }), box);
  const close = async (): Promise<void> => {
    await inner.close();
    box.close();
  };
  return { host: { ...host, enclosure: box }, runner: { ...inner, close }, says: describeOs(box.policy) };
}

function direct(runner: Runner, host: Host, why = ''): Isolation {
  return { host, runner, says: `Isolation: none, the agent can do whatever you can${why}` };
}

function describeOs({ writable, hosts }: SandboxPolicy): string {
  return `Isolation: operating system's sandbox (${count(writable.length, 'writable path')}, ${count(hosts.length, 'host')})`;
}

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? '' : 's'}`;
}
