/** What is not handed on to a rehearsed command: whatever carries an account, or leads to a model elsewhere. */
import { AGENTS } from '../agents/index.ts';

/** Vendors of models without an agent of their own, and the clouds through which models are reached. */
const FAMILIES = [
  'AWS_',
  'AZURE_',
  'CLOUDFLARE_',
  'DATABRICKS_',
  'OLLAMA_',
  'SNOWFLAKE_',
  'VERTEX_',
  'WATSONX_',
  ...AGENTS.flatMap(({ accountVariables = [] }) => accountVariables).filter(isFamily),
];

/** Hundreds of smaller vendors have nothing but a key, and call it so. */
const ENDINGS = ['_API_KEY', '_API_TOKEN'];

const NAMES = new Set([
  ...AGENTS.flatMap(({ accountVariables = [] }) => accountVariables).filter((name) => !isFamily(name)),
  // Let agents in with a GitHub account.
  'GH_TOKEN',
  'GITHUB_TOKEN',
  'GH_ENTERPRISE_TOKEN',
  'GITHUB_ENTERPRISE_TOKEN',
  'GITLAB_TOKEN',
  'HF_TOKEN',
  // Where Google's libraries look for an account besides.
  'GCLOUD_PROJECT',
  'CLOUDSDK_CONFIG',
  // A proxy would be asked for the loopback's address, on its own loopback.
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]),
]);

const KEPT = new Set(AGENTS.flatMap(({ rehearsal }) => rehearsal?.kept ?? []));

function isFamily(name: string): boolean {
  return name.endsWith('_');
}

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
