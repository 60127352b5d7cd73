/** The environment in which no agent talks to anything but the scripted model, whichever of them is called. */
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { AGENTS } from '../agents/index.ts';
import type { AgentRehearsal } from '../agents/profile.ts';
import { errnoOf } from '../core/error.ts';
import { HOSTS_VARIABLE } from '../runners/sandbox/hosts.ts';
import { isWithheld } from './withheld-variables.ts';

export interface RehearsalOptions {
  /** The environment that `rehearse` itself was given. */
  readonly env: Environment;
  /** The scripted model's. */
  readonly url: string;
  /** Thrown away afterwards; each agent has a folder of its own in it. */
  readonly folder: string;
  readonly cwd: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Writes the throw-away configurations, and gives the environment that leads to them. */
export function prepareEnvironment(options: RehearsalOptions): Record<string, string> {
  const { env, url } = options;
  const handedOn = Object.entries(env).filter(([name, value]) => value !== undefined && !isWithheld(name));
  const prepared = AGENTS.map(({ name, rehearsal }) => (rehearsal ? prepareAgent(name, rehearsal, options) : {}));
  // The scripted model is a host of this machine, which a sandbox would not let an agent reach.
  const allowed = [env[HOSTS_VARIABLE], new URL(url).host].filter(Boolean).join(' ');
  return Object.assign(Object.fromEntries(handedOn), { [HOSTS_VARIABLE]: allowed }, ...prepared) as Record<
    string,
    string
  >;
}

function prepareAgent(
  agent: string,
  { variables, files, copies, sharedFolders = [] }: AgentRehearsal,
  { env, url, folder, cwd }: RehearsalOptions,
): Record<string, string> {
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
  try {
    return [[path, readFileSync(real, 'utf8')]];
  } catch (error) {
    if (errnoOf(error)) return [];
    throw error;
  }
}

/**
 * Makes a placeholder for a folder that many programs share, without the entry of one of them. Links, entry by entry:
 * git's and other programs' files keep their place and their changes.
 */
export function linkShared(real: string, placeholder: string, without: string): void {
  mkdirSync(placeholder, { recursive: true });
  for (const name of entriesOf(real)) {
    if (name !== without) symlinkSync(resolve(real, name), join(placeholder, name));
  }
}

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}
