/** The surroundings in which no agent talks to anything but the scripted model, whichever of them is called. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errnoOf } from '../core/error.ts';
import { HOSTS_VARIABLE } from '../runners/sandbox/hosts.ts';
import type { AgentSurroundings, SharedFolder } from './agent-environment/agent-surroundings.ts';
import { ALL_SURROUNDINGS } from './agent-environment/all.ts';
import { makeStandIn } from './agent-environment/shared-folder.ts';
import { isWithheld } from './agent-environment/withheld-variables.ts';

export interface Surroundings {
  /** The environment that `rehearse` itself was given. */
  readonly env: Environment;
  /** The scripted model's. */
  readonly url: string;
  /** Thrown away afterwards; each agent has a folder of its own in it. */
  readonly folder: string;
  readonly cwd: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** Writes the throw-away configurations, and resolves to the environment that leads to them. */
export async function prepareSurroundings(surroundings: Surroundings): Promise<Record<string, string>> {
  const prepared = await Promise.all(ALL_SURROUNDINGS.map((agent) => prepareAgent(agent, surroundings)));
  // The scripted model is a host of this machine, which a sandbox would not let an agent reach.
  const allowed = [surroundings.env[HOSTS_VARIABLE], new URL(surroundings.url).host].filter(Boolean).join(' ');
  return Object.assign(handedOn(surroundings.env), { [HOSTS_VARIABLE]: allowed }, ...prepared) as Record<
    string,
    string
  >;
}

async function prepareAgent(
  { agent, variables, files, copies, sharedFolders = [] }: AgentSurroundings,
  { env, url, folder, cwd }: Surroundings,
): Promise<Record<string, string>> {
  const place = { url, cwd, folder: join(folder, agent) };
  await mkdir(place.folder);
  const texts = { ...files(place), ...(await readAll(copies?.(env) ?? {})) };
  for (const [path, text] of Object.entries(texts)) {
    await mkdir(dirname(join(place.folder, path)), { recursive: true });
    await writeFile(join(place.folder, path), text);
  }
  const set: Record<string, string> = { ...variables(place) };
  for (const shared of sharedFolders) {
    const standIn = join(place.folder, shared.usual);
    await makeStandIn({ real: realFolder(shared, env), standIn, without: shared.own });
    set[shared.variable] = standIn;
  }
  return set;
}

/** Without those that are not there. */
async function readAll(paths: Readonly<Record<string, string>>): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const [path, real] of Object.entries(paths)) {
    try {
      texts[path] = await readFile(real, 'utf8');
    } catch (error) {
      if (!errnoOf(error)) throw error;
    }
  }
  return texts;
}

function handedOn(env: Environment): Record<string, string> {
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !isWithheld(name)) kept[name] = value;
  }
  return kept;
}

function realFolder({ variable, usual }: SharedFolder, env: Environment): string {
  return env[variable] || join(env.HOME || '/', usual);
}
