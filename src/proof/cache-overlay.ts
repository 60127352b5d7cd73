/**
 * The user's package caches, seen through a temporary overlay: a setup finds earlier downloads there, and what it
 * writes is removed with the checkout. Uses mounts in a private namespace, if the system allows them.
 */
import { spawnSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { ifThere, makeFolders } from '../process/files.ts';
import { type Enclosure, type Host, selfContained } from '../process/host.ts';
import { findProgram } from '../process/which.ts';

/** The variable that sets a program's cache folder, and the default place of that folder. */
const CACHES: readonly (readonly [variable: string, place: (env: NodeJS.ProcessEnv, caches: string) => string])[] = [
  ['npm_config_cache', (env) => join(homeOf(env), '.npm')],
  ['YARN_CACHE_FOLDER', (_env, caches) => join(caches, 'yarn')],
  ['PIP_CACHE_DIR', (_env, caches) => join(caches, 'pip')],
  ['UV_CACHE_DIR', (_env, caches) => join(caches, 'uv')],
  ['GOCACHE', (_env, caches) => join(caches, 'go-build')],
  ['GOMODCACHE', (env) => join(env.GOPATH || join(homeOf(env), 'go'), 'pkg/mod')],
];

const homeOf = ({ HOME }: NodeJS.ProcessEnv): string => HOME || homedir();

/** Separators in overlay mount options: paths that contain one cannot be mounted. */
const DIVIDERS = /[,:\\]/;

/**
 * Returns a host that runs every command in a namespace with the overlays, or the same host if that is not possible.
 * `env` is the user's, `folder` the checkout's. A sandbox has its own cache folders: the overlays are mounted on those.
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
  // Mounted outside of the sandbox: nothing inside can mount anything.
  const over: Enclosure['enclose'] = async (argv, files) => {
    const command = await enclosure.enclose(argv, files);
    return { ...command, argv: put(command.argv) };
  };
  return { ...host, enclosure: { ...enclosure, enclose: over } };
}

const isRoot = (): boolean => process.getuid?.() === 0;

/** The script mounts, then drops its capabilities: with more rights than usual, programs might pass different tests. */
const SCRIPT = `mount=$1 drop=$2; shift 2
while [ "$1" != -- ]; do "$mount" -t overlay ralph -o "$1" "$2" || exit 126; shift 2; done; shift
[ -z "$drop" ] && exec "$@"; exec "$drop" --ambient-caps=-all --inh-caps=-all -- "$@"`;

/**
 * Null if it does not work, which is tested. Programs are given by absolute path, because a checkout may contain others
 * of the same name.
 */
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
