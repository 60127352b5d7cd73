/** Whether an agent has a login, as far as what is there tells: nothing is called, and no credential is read. */
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { AgentProfile } from './profile.ts';

/** `by`: the variable or the file that shows it. Where neither can be told, nothing is claimed. */
export type Login = { readonly is: 'in'; readonly by: string } | { readonly is: 'out' | 'unknown' };

export function loginOf(profile: AgentProfile, env: NodeJS.ProcessEnv, cwd: string): Login {
  const { login } = profile;
  if (login === undefined) return { is: 'unknown' };
  const { variables, files, unlessIn } = login;
  const isSet = (name: string): boolean => (env[name] ?? '') !== '';
  const paths = (names: readonly string[]): string[] => names.map((name) => pathOf(name, profile, env, cwd));
  const by = variables.find(isSet) ?? paths(files).find((path) => existsSync(path));
  if (by !== undefined) return { is: 'in', by };
  const mayBeElsewhere =
    unlessIn === undefined ||
    unlessIn.variables.some(isSet) ||
    paths(unlessIn.files).some(holdsSomething) ||
    unlessIn.platforms?.includes(process.platform) === true;
  return { is: mayBeElsewhere ? 'unknown' : 'out' };
}

/** A placeholder that a sandbox has put there holds no login. No word of a file is read: its size is enough. */
function holdsSomething(path: string): boolean {
  return (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > SMALLEST;
}

/** `{}` and a line end. */
const SMALLEST = 3;

function pathOf(name: string, { sandbox }: AgentProfile, env: NodeJS.ProcessEnv, cwd: string): string {
  const home = env.HOME || '/';
  if (name.startsWith('~/')) return join(home, name.slice(2));
  if (!name.startsWith('$/')) return resolve(cwd, name);
  const { variable = '', inside = '', usual = [] } = sandbox?.state ?? {};
  const own = env[variable] ?? '';
  return own === '' ? join(home, usual[0] ?? '', name.slice(2)) : join(own, inside, name.slice(2));
}
