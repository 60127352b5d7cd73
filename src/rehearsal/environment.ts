/** The environment in which no agent talks to anything but the scripted model, whichever of them is called. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { AGENTS } from '../agents/index.ts';
import type { AgentRehearsal, RehearsalPlace } from '../agents/profile.ts';
import { ifThere, nullOn } from '../process/files.ts';
import { HOSTS_VARIABLE } from '../runners/sandbox/request.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Writes the throw-away configurations, a folder for each agent, and gives the environment that leads to them. `env` is
 * what `rehearse` itself was given.
 */
export function prepareEnvironment(
  options: RehearsalPlace & { readonly env: Environment },
): Record<string, string | undefined> {
  const { env, url } = options;
  const prepared = AGENTS.map(({ name, rehearsal }) => (rehearsal ? prepareAgent(name, rehearsal, options) : {}));
  // The scripted model is a host of this machine, which a sandbox would not let an agent reach.
  const allowed = [env[HOSTS_VARIABLE], new URL(url).host].filter(Boolean).join(' ');
  const handedOn = Object.entries(env).filter(([name, value]) => value !== undefined && !isWithheld(name));
  const own: Environment[] = [Object.fromEntries(handedOn), { [HOSTS_VARIABLE]: allowed }, ...prepared];
  return Object.fromEntries(own.flatMap((variables) => Object.entries(variables)));
}

function prepareAgent(
  agent: string,
  { variables, files, copies, sharedFolders = [] }: AgentRehearsal,
  { env, url, folder, cwd }: RehearsalPlace & { readonly env: Environment },
): Environment {
  const place = { url, cwd, folder: join(folder, agent) };
  mkdirSync(place.folder);
  for (const [path, text] of [...Object.entries(files(place)), ...Object.entries(copies?.(env) ?? {}).flatMap(read)]) {
    mkdirSync(dirname(join(place.folder, path)), { recursive: true });
    writeFileSync(join(place.folder, path), text);
  }
  const set: Record<string, string> = { ...variables(place) };
  for (const { variable, usual, own } of sharedFolders) {
    const placeholder = join(place.folder, usual);
    linkShared(env[variable] || join(env.HOME || '/', usual), placeholder, own);
    set[variable] = placeholder;
  }
  return set;
}

function read([path, real]: [string, string]): [string, string][] {
  const text = nullOn(['ENOENT', 'ENOTDIR', 'EACCES', 'EISDIR'], () => readFileSync(real, 'utf8'));
  return text === null ? [] : [[path, text]];
}

/**
 * Makes a placeholder for a folder that many programs share, without the entry of one of them. Links, entry by entry:
 * git's and other programs' files keep their place and their changes.
 */
export function linkShared(real: string, placeholder: string, without: string): void {
  mkdirSync(placeholder, { recursive: true });
  for (const name of ifThere(() => readdirSync(real)) ?? []) {
    if (name !== without) symlinkSync(resolve(real, name), join(placeholder, name));
  }
}

/** Vendors of models without an agent of their own, and the clouds through which models are reached. */
const CLOUDS = ['AWS_', 'AZURE_', 'CLOUDFLARE_', 'DATABRICKS_', 'OLLAMA_', 'SNOWFLAKE_', 'VERTEX_', 'WATSONX_'];

/** Hundreds of smaller vendors have nothing but a key, and call it so. */
const ENDINGS = ['_API_KEY', '_API_TOKEN'];

/** Most let agents in with a GitHub account. */
const TOKENS = [
  'GH_TOKEN',
  'GITHUB_TOKEN',
  'GH_ENTERPRISE_TOKEN',
  'GITHUB_ENTERPRISE_TOKEN',
  'GITLAB_TOKEN',
  'HF_TOKEN',
];

/** A name that ends with `_` is what others begin with. */
const WITHHELD = [
  ...CLOUDS,
  ...AGENTS.flatMap(({ accountVariables = [] }) => accountVariables),
  ...TOKENS,
  // Where Google's libraries also look for an account.
  'GCLOUD_PROJECT',
  'CLOUDSDK_CONFIG',
  // A proxy would be asked for the loopback's address, on its own loopback.
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]),
];

const KEPT = new Set(AGENTS.flatMap(({ rehearsal }) => rehearsal?.kept ?? []));

/** Those of these that a rehearsed command does not get, and the real one does. */
export function withheldFrom(env: Environment): string[] {
  return Object.keys(env)
    .filter((name) => isWithheld(name) && (env[name] ?? '') !== '')
    .sort();
}

/** Whatever carries an account, or leads to a model elsewhere. */
export function isWithheld(name: string): boolean {
  if (KEPT.has(name)) return false;
  if (ENDINGS.some((ending) => name.endsWith(ending))) return true;
  return WITHHELD.some((one) => (one.endsWith('_') ? name.startsWith(one) : name === one));
}
