/**
 * The user's package caches, seen through a throw-away overlay: a setup finds there what was downloaded before, and what it
 * writes is gone with the checkout. By mounts in a namespace of its own, where the system allows them.
 */
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { ifThere, makeFolders } from '../process/files.ts';
import { type Enclosure, type Host, selfContained } from '../process/host.ts';
import { findProgram } from '../process/which.ts';

/** The variable that names a cache folder to its program, and where that folder is otherwise. */
const CACHES: readonly (readonly [variable: string, place: (env: NodeJS.ProcessEnv, caches: string) => string])[] = [
  ['npm_config_cache', (env) => join(homeOf(env), '.npm')],
  ['YARN_CACHE_FOLDER', (_env, caches) => join(caches, 'yarn')],
  ['PIP_CACHE_DIR', (_env, caches) => join(caches, 'pip')],
  ['UV_CACHE_DIR', (_env, caches) => join(caches, 'uv')],
  ['GOCACHE', (_env, caches) => join(caches, 'go-build')],
  ['GOMODCACHE', (env) => join(env.GOPATH || join(homeOf(env), 'go'), 'pkg/mod')],
];

const homeOf = ({ HOME }: NodeJS.ProcessEnv): string => HOME || homedir();

/** What its options are divided by. */
const DIVIDERS = /[,:\\]/;

/**
 * The host, with every command put into a namespace that has the overlays; the host itself where there can be none. `env` is
 * the user's, `folder` that of the checkout. A sandbox has folders of its own for caches: theirs are laid over these.
 */
export function withCacheOverlays(host: Host, env: NodeJS.ProcessEnv, folder: string): Host {
  const { XDG_CACHE_HOME } = env;
  const caches = XDG_CACHE_HOME || join(homeOf(env), '.cache');
  const { enclosure } = host;
  const mounts = CACHES.flatMap(([variable, place], index) => {
    const lower = env[variable] || place(env, caches);
    const over = enclosure?.env[variable] ?? lower;
    const [upper, work] = ['upper', 'work'].map((name) => join(folder, 'overlays', `${index}`, name));
    const isThere = isAbsolute(lower) && ifThere(() => statSync(lower).isDirectory()) === true;
    if (!isThere || DIVIDERS.test(`${lower}${folder}`)) return [];
    for (const made of [upper, work, over]) if (made !== undefined) makeFolders(made, 0o700);
    return [`lowerdir=${lower},upperdir=${upper},workdir=${work}${isRoot() ? '' : ',userxattr'}`, over];
  });
  const prefix = mounts.length === 0 ? null : mounting(mounts, env);
  if (prefix === null) return host;
  const put = (argv: readonly string[]): [string, ...string[]] => [...prefix, ...argv];
  const enclose: Enclosure['enclose'] = async (argv) => selfContained(put(argv));
  const none: Enclosure = { enclose, env: {}, outsideProblem: () => null, mayWrite: () => false };
  if (enclosure === undefined) return { ...host, enclosure: none };
  // Laid outside of the sandbox: nothing in it may mount anything.
  const over: Enclosure['enclose'] = async (argv, files) => {
    const command = await enclosure.enclose(argv, files);
    return { ...command, argv: put(command.argv) };
  };
  return { ...host, enclosure: { ...enclosure, enclose: over } };
}

const isRoot = (): boolean => process.getuid?.() === 0;

/** It has to mount, and no more than that: programs that run with a right more than elsewhere would pass other tests. */
const SCRIPT = `mount=$1 drop=$2; shift 2
while [ "$1" != -- ]; do "$mount" -t overlay ralph -o "$1" "$2" || exit 126; shift 2; done; shift
[ -z "$drop" ] && exec "$@"; exec "$drop" --ambient-caps=-all --inh-caps=-all -- "$@"`;

/** Null where it does not work, which is tried. Programs are named by their paths: a checkout has some of its own. */
function mounting(mounts: readonly string[], { PATH }: NodeJS.ProcessEnv): [string, ...string[]] | null {
  if (process.platform !== 'linux') return null;
  const [unshare, mount, setpriv] = ['unshare', 'mount', 'setpriv'].map((name) => findProgram(name, PATH, '/'));
  if (unshare == null || mount == null || (setpriv == null && !isRoot())) return null;
  const user = isRoot() ? [] : ['--user', '--map-current-user', '--keep-caps'];
  const how = [mount, isRoot() ? '' : (setpriv ?? ''), ...mounts, '--'];
  const prefix: [string, ...string[]] = [unshare, ...user, '--mount', '--', '/bin/sh', '-c', SCRIPT, 'sh', ...how];
  const [program, ...args] = [...prefix, '/bin/true'] as const;
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0 ? prefix : null;
}
