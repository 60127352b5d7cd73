/** Where a path leads, by its text alone: links are not followed. */
import { UNKNOWN } from './command.ts';
import { list } from './tables.ts';

export interface Folders {
  readonly home: string;
  readonly project: string;
}

/** Absolute and without `.` and `..`; null where the beginning is unknown. */
export function resolvePath(text: string, cwd: string | null, home: string): string | null {
  const path = fromHome(text, home);
  if (path === '' || path.startsWith(UNKNOWN)) return null;
  if (path.startsWith('/')) return normalised(path);
  return cwd === null ? null : normalised(`${cwd}/${path}`);
}

export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

export type Zone =
  /** The project as a whole, or its history. */
  | 'project-root'
  | 'project-git'
  | 'project'
  | 'temporary'
  | 'temporary-root'
  /** `/`, the home folder, or anything that holds it or the project. */
  | 'root'
  | 'system'
  /** What programs keep in the home folder to save time, and make again when it is gone. */
  | 'cache'
  | 'cache-root'
  | 'outside'
  | 'unknown';

const TEMPORARY = ['/tmp', '/var/tmp', '/dev/shm', '/private/tmp', '/private/var/tmp', '/var/folders'];
const SYSTEM = list(`
  /bin /boot /dev /etc /lib /lib32 /lib64 /opt /proc /root /run /sbin /srv /sys /usr /var /Applications /Library
  /System /Volumes /private
`);
/** Below the home folder: their content can be downloaded or built again. */
const CACHES = list(`
  .bun/install/cache .cargo/git .cargo/registry .ccache .cocoapods/repos .composer/cache .eslintcache
  .expo/cache .gradle/caches .gradle/daemon .ivy2/cache .local/share/pnpm/store .m2/repository .mypy_cache
  .node-gyp .npm .nuget/packages .nx/cache .parcel-cache .pnpm-store .pytest_cache .ruff_cache .sccache .turbo
  .yarn/berry/cache .yarn/cache Library/Developer/Xcode/DerivedData Library/pnpm/store go/pkg/mod
`);
/** Folders in which each program has a cache of its own. */
const CACHE_ROOTS = ['.cache', 'Library/Caches'];
/** A last part that means everything in its folder: `*`, `.*`, `*.*`, `[a-z]*`. */
const EVERYTHING = /^(?:[.*?]|\[[^\]]*\])+$/;
/** Git itself tells people to remove these. */
const GIT_LEFTOVERS = ['rebase-merge', 'rebase-apply', 'index.lock', 'HEAD.lock', 'MERGE_HEAD'];

export function zoneOf(text: string, cwd: string | null, folders: Folders): Zone {
  const resolved = resolvePath(text, cwd, folders.home);
  if (resolved === null) return 'unknown';
  const path = withoutEverything(resolved);
  const { project, home } = folders;
  if (path === project) return 'project-root';
  if (isWithin(path, `${project}/.git`)) {
    return GIT_LEFTOVERS.some((name) => isWithin(path, `${project}/.git/${name}`)) ? 'project' : 'project-git';
  }
  if (isWithin(path, project)) return 'project';
  if (isWithin(project, path) || isWithin(home, path)) return 'root';
  if (TEMPORARY.includes(path)) return 'temporary-root';
  if (TEMPORARY.some((folder) => isWithin(path, folder))) return 'temporary';
  if (isWithin(path, home)) return zoneInHome(path.slice(home.length + 1));
  return SYSTEM.some((folder) => isWithin(path, folder)) ? 'system' : 'outside';
}

function zoneInHome(path: string): Zone {
  if (CACHE_ROOTS.includes(path)) return 'cache-root';
  return [...CACHES, ...CACHE_ROOTS].some((cache) => isWithin(path, cache)) ? 'cache' : 'outside';
}

/** Does the path name all that is in a folder rather than the folder? */
export function isEverythingIn(text: string): boolean {
  const last = text.replace(/\/+$/, '').split('/').at(-1) ?? '';
  return last !== '.' && last !== '..' && /[*?]/.test(last) && EVERYTHING.test(last);
}

function withoutEverything(path: string): string {
  const parts = path.split('/');
  while (parts.length > 1 && EVERYTHING.test(parts.at(-1) ?? '')) parts.pop();
  return parts.join('/') || '/';
}

function fromHome(text: string, home: string): string {
  if (text === '~' || text.startsWith('~/')) return `${home}${text.slice(1)}`;
  const [all, user] = /^~([a-z_][\w-]*)(?=\/|$)/.exec(text) ?? [];
  if (all === undefined || user === undefined) return text;
  return `${user === 'root' ? '/root' : `/home/${user}`}${text.slice(all.length)}`;
}

function normalised(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}
