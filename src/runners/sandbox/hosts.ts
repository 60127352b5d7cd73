/** Which hosts may be reached from a sandbox: those of the agent, those of the project's package registries, the user's. */
import { RalphError } from '../../core/error.ts';

/** What each agent asks for at its work, by the name of its command. */
const AGENT_HOSTS: Readonly<Record<string, readonly string[]>> = {
  amp: ['ampcode.com', '*.ampcode.com'],
  claude: ['*.anthropic.com', 'claude.ai', 'platform.claude.com:443'],
  codex: ['api.openai.com', 'auth.openai.com', 'chatgpt.com'],
  copilot: ['api.github.com', 'github.com', '*.githubcopilot.com'],
  gemini: ['generativelanguage.googleapis.com', 'cloudcode-pa.googleapis.com', 'oauth2.googleapis.com'],
  opencode: ['opencode.ai', 'models.dev', '*.anthropic.com', 'api.openai.com'],
  pi: ['*.anthropic.com', 'api.openai.com', 'generativelanguage.googleapis.com'],
  qwen: ['dashscope.aliyuncs.com', 'dashscope-intl.aliyuncs.com', 'chat.qwen.ai', 'portal.qwen.ai'],
};

interface Ecosystem {
  readonly name: string;
  /** A project with one of these files at its top uses it. */
  readonly files: readonly string[];
  readonly hosts: readonly string[];
}

const ECOSYSTEMS: readonly Ecosystem[] = [
  { name: 'node', files: ['package.json'], hosts: ['*.npmjs.org', '*.yarnpkg.com'] },
  {
    name: 'python',
    files: ['pyproject.toml', 'requirements.txt', 'setup.py', 'Pipfile'],
    hosts: ['pypi.org', 'files.pythonhosted.org'],
  },
  { name: 'rust', files: ['Cargo.toml'], hosts: ['index.crates.io', 'static.crates.io', 'crates.io'] },
  { name: 'go', files: ['go.mod'], hosts: ['proxy.golang.org', 'sum.golang.org'] },
  { name: 'ruby', files: ['Gemfile'], hosts: ['rubygems.org', 'index.rubygems.org'] },
  { name: 'php', files: ['composer.json'], hosts: ['repo.packagist.org', 'packagist.org'] },
  {
    name: 'java',
    files: ['pom.xml', 'build.gradle', 'build.gradle.kts'],
    hosts: ['repo.maven.apache.org', 'repo1.maven.org', 'plugins.gradle.org', 'services.gradle.org'],
  },
];

/** Where a user has sent an agent himself. */
const BASE_URLS = [
  'ANTHROPIC_BASE_URL',
  'COPILOT_PROVIDER_BASE_URL',
  'GOOGLE_GEMINI_BASE_URL',
  'OPENAI_BASE_URL',
] as const;

/** More hosts, from the environment: `127.0.0.1:8080 example.com`. */
export const HOSTS_VARIABLE = 'RALPH_ALLOW_HOST';

export function agentHosts(agent: string): readonly string[] {
  return AGENT_HOSTS[agent] ?? [];
}

export function ecosystemHosts(has: (file: string) => boolean): string[] {
  return ECOSYSTEMS.filter(({ files }) => files.some(has)).flatMap(({ hosts }) => hosts);
}

export function environmentHosts(env: NodeJS.ProcessEnv): string[] {
  const given = (env[HOSTS_VARIABLE] ?? '').split(/[\s,]+/).filter(Boolean);
  const urls = BASE_URLS.flatMap((name) => hostOfUrl(env[name] ?? ''));
  return [...given.map(checkedHost), ...urls];
}

/** `example.com`, `*.example.com`, either with a port. Refuses what would allow everything. */
export function checkedHost(host: string): string {
  if (/^(\*\.)?[a-z0-9-]+(\.[a-z0-9-]+)+(:\d{1,5})?$/i.test(host) || /^localhost:\d{1,5}$/.test(host)) {
    return host.toLowerCase();
  }
  throw new RalphError('ALLOW_HOST', `"${host}" is not a host that can be allowed`, {
    hint: 'Name a host, its subdomains or one port of it: example.com, *.example.com, localhost:8080.',
    exitCode: 2,
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
