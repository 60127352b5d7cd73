/** The surroundings in which Claude Code talks to nothing but the scripted model. */
import { join } from 'node:path';

export interface Surroundings {
  /** The environment that `rehearse` itself was given. */
  readonly env: Environment;
  /** The scripted model's. */
  readonly url: string;
  readonly configDir: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** No secret: the scripted model takes any key. */
const DUMMY_KEY = 'dummy-key-0000000000000000000';

/** Would lead past the loopback, or carry a real account's credentials. */
const PREFIXES_REMOVED = ['ANTHROPIC_', 'CLAUDE_CODE_USE_'];

const NAMES_REMOVED = new Set([
  'CLAUDE_CODE_OAUTH_TOKEN',
  // Set inside a Claude Code session, where a second one is treated as its child.
  'CLAUDECODE',
  // Only plain HTTP is spoken, and reading the file triples Node's start.
  'NODE_EXTRA_CA_CERTS',
  // A proxy would be asked for the loopback's address, on its own loopback.
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]),
]);

export function rehearsalEnvironment({ env, url, configDir }: Surroundings): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || isRemoved(name)) continue;
    kept[name] = value;
  }
  return {
    ...kept,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: DUMMY_KEY,
    CLAUDE_CONFIG_DIR: configDir,
    // Without these Claude asks for its vendor's host even though the base URL is set.
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_ERROR_REPORTING: '1',
    // Claude refuses --dangerously-skip-permissions to root without it.
    IS_SANDBOX: '1',
  };
}

/**
 * The files of a throw-away configuration, by path. `-p` needs none of them; an interactive Claude would first
 * contact its vendor and then ask three questions whose default answer is to quit.
 */
export function rehearsalConfig(configDir: string, cwd: string): ReadonlyMap<string, string> {
  const state = {
    hasCompletedOnboarding: true,
    theme: 'dark',
    customApiKeyResponses: { approved: [DUMMY_KEY.slice(-20)], rejected: [] },
    projects: { [cwd]: { hasTrustDialogAccepted: true } },
  };
  return new Map([
    [join(configDir, '.claude.json'), JSON.stringify(state)],
    [join(configDir, 'settings.json'), JSON.stringify({ skipDangerousModePermissionPrompt: true })],
  ]);
}

function isRemoved(name: string): boolean {
  return NAMES_REMOVED.has(name) || PREFIXES_REMOVED.some((prefix) => name.startsWith(prefix));
}
