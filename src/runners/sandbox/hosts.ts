/** Which hosts may be reached from a sandbox: those of the agent, those of the project's package registries, the user's. */
import { RalphError } from '../../core/error.ts';

/** Of each ecosystem: a project with one of these files at its top uses these hosts. */
const REGISTRIES: readonly (readonly [files: readonly string[], hosts: readonly string[]])[] = [
  [['package.json'], ['*.npmjs.org', '*.yarnpkg.com']],
  [
    ['pyproject.toml', 'requirements.txt', 'setup.py', 'Pipfile'],
    ['pypi.org', 'files.pythonhosted.org'],
  ],
  [['Cargo.toml'], ['index.crates.io', 'static.crates.io', 'crates.io']],
  [['go.mod'], ['proxy.golang.org', 'sum.golang.org']],
  [['Gemfile'], ['rubygems.org', 'index.rubygems.org']],
  [['composer.json'], ['repo.packagist.org', 'packagist.org']],
  [
    ['pom.xml', 'build.gradle', 'build.gradle.kts'],
    ['repo.maven.apache.org', 'repo1.maven.org', 'plugins.gradle.org', 'services.gradle.org'],
  ],
];

/** More hosts, from the environment: `127.0.0.1:8080 example.com`. */
export const HOSTS_VARIABLE = 'RALPH_ALLOW_HOST';

export function ecosystemHosts(has: (file: string) => boolean): string[] {
  return REGISTRIES.flatMap(([files, hosts]) => (files.some(has) ? hosts : []));
}

/** `baseUrls`: where a user has sent an agent. */
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
  throw new RalphError('ALLOW_HOST', `"${host}" is not a host that can be allowed`, {
    hint: 'Name a host, its subdomains or one port of it: example.com, *.example.com, localhost:8080.',
  });
}

/** The ports of this machine's own loopback that may be reached: a sandbox has a loopback of its own. */
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
