/** The environment in which every agent talks only to the scripted model. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { AGENTS } from '../agents/index.ts';
import type { AgentRehearsal, RehearsalPlace } from '../agents/profile.ts';
import { ifThere, nullOn } from '../process/files.ts';
import { HOSTS_VARIABLE } from '../runners/sandbox/request.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Writes the temporary configurations, one folder per agent, and returns the environment that points to them. `env` is
 * the environment of `rehearse` itself.
 */
export function prepareEnvironment(
  options: RehearsalPlace & { readonly env: Environment },
): Record<string, string | undefined> {
  const { env, url } = options;
  const prepared = AGENTS.map(({ name, rehearsal }) => (rehearsal ? prepareAgent(name, rehearsal, options) : {}));
  // The scripted model runs on this machine, which a sandbox would otherwise block.
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
 * Creates a placeholder for a folder that many programs share, without the entry of one of them. Links each entry, so
 * that git and other programs still find and change their own files.
 */
export function linkShared(real: string, placeholder: string, without: string): void {
  mkdirSync(placeholder, { recursive: true });
  for (const name of ifThere(() => readdirSync(real)) ?? []) {
    if (name !== without) symlinkSync(resolve(real, name), join(placeholder, name));
  }
}

/** Model vendors without an agent of their own, and clouds that give access to models. */
const CLOUDS = ['AWS_', 'AZURE_', 'CLOUDFLARE_', 'DATABRICKS_', 'OLLAMA_', 'SNOWFLAKE_', 'VERTEX_', 'WATSONX_'];

/** Hundreds of smaller vendors use just a key with such a name. */
const ENDINGS = ['_API_KEY', '_API_TOKEN'];

/** Most of these log agents in with a GitHub account. */
const TOKENS = [
  'GH_TOKEN',
  'GITHUB_TOKEN',
  'GH_ENTERPRISE_TOKEN',
  'GITHUB_ENTERPRISE_TOKEN',
  'GITLAB_TOKEN',
  'HF_TOKEN',
];

/** A name that ends with `_` is a prefix. */
const WITHHELD = [
  ...CLOUDS,
  ...AGENTS.flatMap(({ accountVariables = [] }) => accountVariables),
  ...TOKENS,
  // Google's libraries also look for an account here.
  'GCLOUD_PROJECT',
  'CLOUDSDK_CONFIG',
  // A proxy would look for the loopback address on its own machine.
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]),
];

const KEPT = new Set(AGENTS.flatMap(({ rehearsal }) => rehearsal?.kept ?? []));

/** The variables that the real command gets, but a rehearsed one does not. */
export function withheldFrom(env: Environment): string[] {
  return Object.keys(env)
    .filter((name) => isWithheld(name) && (env[name] ?? '') !== '')
    .sort();
}

/** Whether a variable holds an account, or leads to a model elsewhere. */
export function isWithheld(name: string): boolean {
  if (KEPT.has(name)) return false;
  if (ENDINGS.some((ending) => name.endsWith(ending))) return true;
  return WITHHELD.some((one) => (one.endsWith('_') ? name.startsWith(one) : name === one));
}
