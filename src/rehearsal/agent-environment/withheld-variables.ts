/** What is not handed on to a rehearsed command: whatever carries an account, or leads to a model elsewhere. */

/** Vendors of agents and models, and the clouds through which models are reached. */
const FAMILIES = [
  'AMP_',
  'ANTHROPIC_',
  'AWS_',
  'AZURE_',
  'CLAUDE_CODE_USE_',
  'CLOUDFLARE_',
  'CODEX_',
  'COPILOT_',
  'DATABRICKS_',
  'GEMINI_',
  'GITHUB_COPILOT_',
  'GOOGLE_',
  'OLLAMA_',
  'OPENAI_',
  'OPENCODE_',
  'PI_',
  'QWEN_',
  'SNOWFLAKE_',
  'VERTEX_',
  'WATSONX_',
];

/** Hundreds of smaller vendors have nothing but a key, and call it so. */
const ENDINGS = ['_API_KEY', '_API_TOKEN'];

const NAMES = new Set([
  'CLAUDE_CODE_OAUTH_TOKEN',
  // Lets Copilot and others in with a GitHub account.
  'GH_TOKEN',
  'GITHUB_TOKEN',
  'GH_ENTERPRISE_TOKEN',
  'GITHUB_ENTERPRISE_TOKEN',
  'GITLAB_TOKEN',
  'HF_TOKEN',
  // Where Google's libraries look for an account besides.
  'GCLOUD_PROJECT',
  'CLOUDSDK_CONFIG',
  'CODE_ASSIST_ENDPOINT',
  // Leads to an editor.
  'CLAUDE_CODE_SSE_PORT',
  // A proxy would be asked for the loopback's address, on its own loopback.
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]),
]);

const KEPT = new Set([
  // Where Copilot keeps its unpacked program, 235 MB that would have to be unpacked again.
  'COPILOT_CACHE_HOME',
  'COPILOT_PKG_CACHE_HOME',
  // What an agent may do: with another permission than the real run's a rehearsal shows nothing.
  'GEMINI_CLI_TRUST_WORKSPACE',
  'GEMINI_CLI_TRUSTED_FOLDERS_PATH',
]);

/** Those of these that a rehearsed command does not get, and the real one does. */
export function withheldFrom(env: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(env)
    .filter((name) => isWithheld(name) && (env[name] ?? '') !== '')
    .sort();
}

export function isWithheld(name: string): boolean {
  if (KEPT.has(name)) return false;
  return (
    NAMES.has(name) ||
    FAMILIES.some((family) => name.startsWith(family)) ||
    ENDINGS.some((ending) => name.endsWith(ending))
  );
}
