/** Whether an agent is logged in, as far as variables and files show it: nothing is run, and no credential is read. */
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { AgentProfile } from './profile.ts';

/** `by`: the variable or file that shows the login. If neither a login nor its absence can be shown, `unknown`. */
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

/** A placeholder that a sandbox created holds no login. The content is not read: the size is enough. */
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
