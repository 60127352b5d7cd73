/**
 * Which sandbox a loop asks for, by the command line, then by the settings (lists add up), and which hosts are allowed.
 */
import { RalphError } from '../../core/error.ts';

/** What a user asks for beyond the defaults. */
export type SandboxOverrides = { readonly [List in (typeof LISTS)[number]]: readonly string[] };

const LISTS = ['allowHosts', 'allowWrite', 'denyWrite', 'denyRead'] as const;

/** Resolved when the loop begins: what an agent writes into the settings later does not widen it. */
export type SandboxRequest = SandboxOverrides & {
  /** `auto`: the strongest that the machine has, or none. Null if only the lists were given. */
  readonly kind: 'none' | 'os' | 'docker' | 'auto' | null;
  /** How long the files of a run take to come out of Docker; null for the default. */
  readonly settleMs: number | null;
};

const NO_OVERRIDES: SandboxOverrides = { allowHosts: [], allowWrite: [], denyWrite: [], denyRead: [] };
export const NO_SANDBOX: SandboxRequest = { kind: 'none', ...NO_OVERRIDES, settleMs: null };

export type SandboxSettings = { readonly [Key in keyof SandboxRequest]?: SandboxRequest[Key] | undefined };

export interface SandboxFlags extends Partial<Omit<SandboxOverrides, 'allowHosts'>> {
  readonly sandbox?: 'docker' | 'os' | 'auto' | boolean;
  readonly allowHost?: readonly string[];
}

export function sandboxFromFlags(flags: SandboxFlags): SandboxRequest | null {
  const { sandbox, allowHost = [], allowWrite = [], denyWrite = [], denyRead = [] } = flags;
  const lists = { allowHosts: allowHost, allowWrite, denyWrite, denyRead };
  if (sandbox === undefined && Object.values(lists).every((list) => list.length === 0)) return null;
  const kinds = { true: 'docker', false: 'none' } as const;
  const kind = typeof sandbox === 'boolean' ? kinds[`${sandbox}`] : (sandbox ?? null);
  return { kind, ...lists, settleMs: null };
}

/** `otherwise`: what a loop kind uses if the user does not say. */
export function resolvedRequest(
  given: SandboxRequest | null,
  settings: SandboxSettings | undefined,
  otherwise: 'none' | 'auto' = 'none',
): SandboxRequest {
  const kind = given?.kind ?? settings?.kind ?? otherwise;
  if (kind === 'none') {
    refuseIdle(given, 'Add --sandbox=os (or --sandbox, which is Docker).');
    if (given?.kind !== 'none' && settings?.kind === undefined) refuseIdleSettings(settings);
    return NO_SANDBOX;
  }
  const both = (list: (typeof LISTS)[number]): string[] => [...(settings?.[list] ?? []), ...(given?.[list] ?? [])];
  return {
    kind,
    allowHosts: both('allowHosts').map(checkedHost),
    allowWrite: both('allowWrite'),
    denyWrite: both('denyWrite'),
    denyRead: both('denyRead'),
    settleMs: settings?.settleMs ?? null,
  };
}

/** Like `refuseIdle`, for the settings. Those that only widen a sandbox are not missed without one. */
function refuseIdleSettings({ denyWrite = [], denyRead = [] }: SandboxSettings = {}): void {
  const [idle] = [...denyWrite, ...denyRead];
  if (idle === undefined) return;
  throw new RalphError('NO_SANDBOX', `the settings keep "${idle}" from the agent with a sandbox, and there is none`, {
    hint: 'Set sandbox.kind as well, or add --sandbox=os; without: --no-sandbox',
  });
}

/** A flag that narrows or widens a sandbox is an error if there is none. */
export function refuseIdle(given: SandboxRequest | null, hint: string): void {
  const [idle] = LISTS.flatMap((list) => given?.[list] ?? []);
  if (idle === undefined) return;
  throw new RalphError('NO_SANDBOX', `"${idle}" needs a sandbox, and there is none`, { hint });
}

/** By ecosystem: a project with one of these files at its top uses these hosts. */
const GRADLE = ['plugins.gradle.org', 'services.gradle.org'];
const REGISTRIES = {
  'package.json': ['*.npmjs.org', '*.yarnpkg.com'],
  'pyproject.toml requirements.txt setup.py Pipfile': ['pypi.org', 'files.pythonhosted.org'],
  'Cargo.toml': ['index.crates.io', 'static.crates.io', 'crates.io'],
  'go.mod': ['proxy.golang.org', 'sum.golang.org'],
  Gemfile: ['rubygems.org', 'index.rubygems.org'],
  'composer.json': ['repo.packagist.org', 'packagist.org'],
  'pom.xml build.gradle build.gradle.kts': ['repo.maven.apache.org', 'repo1.maven.org', ...GRADLE],
} as const;

/** More hosts, from the environment: `127.0.0.1:8080 example.com`. */
export const HOSTS_VARIABLE = 'RALPH_ALLOW_HOST';

export function ecosystemHosts(has: (file: string) => boolean): string[] {
  return Object.entries(REGISTRIES).flatMap(([files, hosts]) => (files.split(' ').some(has) ? hosts : []));
}

/** `baseUrls`: the variables by which a user points an agent to another server. */
export function environmentHosts(env: NodeJS.ProcessEnv, baseUrls: readonly string[]): string[] {
  const given = (env[HOSTS_VARIABLE] ?? '').split(/[\s,]+/).filter(Boolean);
  const urls = [...baseUrls].sort().flatMap((name) => hostOfUrl(env[name] ?? ''));
  return [...given.map(checkedHost), ...urls];
}

/** `example.com`, `*.example.com`, either with a port. Refuses what would allow everything. */
export function checkedHost(host: string): string {
  if (/^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+(:\d{1,5})?$/i.test(host) || /^localhost:\d{1,5}$/.test(host)) {
    return host.toLowerCase();
  }
  const hint = 'Name a host, its subdomains or one port of it: example.com, *.example.com, localhost:8080.';
  throw new RalphError('ALLOW_HOST', `"${host}" is not a host that can be allowed`, { hint });
}

/** The ports of this machine's loopback that can be reached: a sandbox has a loopback of its own. */
export function loopbackPorts(hosts: readonly string[]): number[] {
  const ports = hosts.flatMap((host) => /^(?:localhost|127\.0\.0\.1):(\d+)$/.exec(host)?.[1] ?? []);
  return [...new Set(ports.map(Number))];
}

function hostOfUrl(url: string): string[] {
  if (!URL.canParse(url)) return [];
  const { hostname, port, protocol } = new URL(url);
  if (hostname === '' || !/^https?:$/.test(protocol)) return [];
  return [`${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`];
}
