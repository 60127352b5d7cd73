/** Where a path leads, judged by its text alone: links are not followed. */
import { block, type Concern, type ContextWithoutGit, warn } from './category.ts';
import { list, UNKNOWN } from './command.ts';

export interface Folders {
  readonly home: string;
  readonly project: string;
}

/** Absolute and without `.` and `..`; null if the beginning is unknown. */
export function resolvePath(text: string, cwd: string | null, home: string): string | null {
  const path = fromHome(text, home);
  if (path === '' || path.startsWith(UNKNOWN)) return null;
  if (path.startsWith('/')) return normalised(path);
  return cwd === null ? null : normalised(`${cwd}/${path}`);
}

export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder === '/' ? '/' : `${folder}/`);
}

type Zone =
  /** The project as a whole, or its git history. */
  | 'project-root'
  | 'project-git'
  | 'project'
  | 'temporary'
  | 'temporary-root'
  /** `/`, the home folder, or any folder that contains it or the project. */
  | 'root'
  | 'system'
  /** Caches that programs keep in the home folder and can create again. */
  | 'cache'
  | 'cache-root'
  | 'outside'
  | 'unknown';

const TEMPORARY = ['/tmp', '/var/tmp', '/dev/shm', '/private/tmp', '/private/var/tmp', '/var/folders'];
const SYSTEM = list(`
  /bin /boot /dev /etc /lib /lib32 /lib64 /opt /proc /root /run /sbin /srv /sys /usr /var /Applications /Library
  /System /Volumes /private
`);
/** In the home folder: their content can be downloaded or built again. */
const CACHES = list(`
  .bun/install/cache .cargo/git .cargo/registry .ccache .cocoapods/repos .composer/cache .eslintcache
  .expo/cache .gradle/caches .gradle/daemon .ivy2/cache .local/share/pnpm/store .m2/repository .mypy_cache
  .node-gyp .npm .nuget/packages .nx/cache .parcel-cache .pnpm-store .pytest_cache .ruff_cache .sccache .turbo
  .yarn/berry/cache .yarn/cache Library/Developer/Xcode/DerivedData Library/pnpm/store go/pkg/mod
`);
/** Folders in which each program has its own cache. */
const CACHE_ROOTS = ['.cache', 'Library/Caches'];
/** A last path segment that means everything in its folder: `*`, `.*`, `*.*`, `[a-z]*`. */
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
  if (CACHE_ROOTS.some((each) => path === `${home}/${each}`)) return 'cache-root';
  if ([...CACHES, ...CACHE_ROOTS].some((each) => isWithin(path, `${home}/${each}`))) return 'cache';
  if (isWithin(path, home)) return 'outside';
  return SYSTEM.some((folder) => isWithin(path, folder)) ? 'system' : 'outside';
}

/** Whether the path names everything in a folder instead of the folder itself. */
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

const SECRET_IN_HOME = list(`
  .ssh .aws .gnupg .kube .azure .docker/config.json .config/gcloud .config/gh .config/op .netrc .npmrc .pypirc
  .git-credentials .pgpass .my.cnf .vault-token .claude/.credentials.json .password-store .bash_history
  .zsh_history Library/Keychains
`);
const SECRET_IN_SYSTEM = ['/etc/shadow', '/etc/gshadow', '/etc/sudoers', '/etc/ssl/private', '/root/.ssh'];
/** Not secret, although they are next to secrets. */
const PUBLIC = /\.pub$|\/known_hosts$|\/\.ssh\/config$|\/\.aws\/config$/;
const KEY_NAME = /^id_(?:rsa|dsa|ecdsa|ed25519)$/;
const ENVIRONMENT_FILE = /^\.env(?:\.(?!example$|sample$|template$|dist$|test$)[\w-]+)*$/;

const SECRET_VARIABLE = /(?:TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|PRIVATE_KEY|ACCESS_KEY|CREDENTIALS?)(?:_|$)/;

type Secrecy = 'secret' | 'environment' | 'public';

export function secrecyOf(text: string, cwd: string | null, home: string): Secrecy {
  const path = resolvePath(text, cwd, home) ?? text;
  const name = path.split('/').at(-1) ?? '';
  if (PUBLIC.test(path)) return 'public';
  const inHome = SECRET_IN_HOME.some((each) => isWithin(path, `${home}/${each}`));
  if (inHome || SECRET_IN_SYSTEM.some((each) => isWithin(path, each)) || KEY_NAME.test(name)) return 'secret';
  if (/^\/proc\/[^/]+\/environ$/.test(path)) return 'secret';
  return ENVIRONMENT_FILE.test(name) ? 'environment' : 'public';
}

export function holdsSecrets(text: string, cwd: string | null, home: string): boolean {
  if (secrecyOf(text, cwd, home) === 'secret') return true;
  const path = resolvePath(text, cwd, home);
  if (path === null || path === home || path === '/') return false;
  return SECRET_IN_HOME.some((each) => isWithin(`${home}/${each}`, path));
}

export function isSecretName(name: string): boolean {
  return SECRET_VARIABLE.test(name);
}

const IN_HOME = list(`
  .ssh .aws .azure .gnupg .kube .docker/config.json .netrc .pgpass .my.cnf .git-credentials .config/gcloud .config/gh
  .profile .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .bash_functions .bash_completion .inputrc
  .zshrc .zprofile .zshenv .zlogin .zlogout .zsh_aliases .oh-my-zsh .cshrc .tcshrc .kshrc .login
  .config/fish .config/nushell .config/direnv .config/environment.d .envrc .direnvrc .pam_environment
  .xprofile .xinitrc .xsession .xsessionrc .config/systemd .config/autostart Library/LaunchAgents bin .local/bin
  .claude .claude.json .codex .gemini .config/opencode
  .gitconfig .config/git .hgrc .curlrc .wgetrc .terraformrc .gdbinit .lldbinit .psqlrc .sqliterc
  .npmrc .yarnrc .yarnrc.yml .pypirc .config/pip .pip .pythonrc .gemrc .irbrc .pryrc
  .cargo/config .cargo/config.toml .cargo/env .gradle/init.gradle .gradle/init.d .m2/settings.xml
  .vimrc .vim .config/nvim .emacs .emacs.d .tmux.conf .config/tmux .screenrc
`);
const IN_SYSTEM = list(`
  /etc /private/etc /bin /sbin /usr /lib /lib64 /boot /sys /proc /root /System /Library
  /var/spool/cron /var/lib /opt
`);
const IN_PROJECT = list(
  '.git/hooks .git/config .git/info/attributes .claude .ralph-active ralph/allowed-commands.txt .mcp.json',
);
/** The files that our hooks keep for a session in /tmp. */
const REMEMBERED = ['ralph-acting-', 'ralph-stop-', 'ralph-no-node-', 'claude-context-alerts-'];
/** Where agents are asked to keep lasting notes. */
const NOTES = '.claude/rules';

export function writesSensitively(path: string, cwd: string | null, context: ContextWithoutGit): Concern | null {
  const resolved = resolvePath(path, cwd, context.home);
  if (resolved === null) return null;
  const { home, project, protectedFolders } = context;
  if (isWithin(resolved, `${project}/${NOTES}`)) return null;
  if (IN_PROJECT.some((each) => isWithin(resolved, `${project}/${each}`)))
    return block(`writes to ${path}, which controls the agent or its harness`);
  if (protectedFolders.some((folder) => isWithin(resolved, folder)))
    return block(`writes to ${path}, which belongs to the harness`);
  if (isWithin(resolved, project)) return null;
  if (isRemembered(resolved)) return block(`writes to ${path}, where the harness keeps its state`);
  if (/\/\.git\/hooks(?:\/|$)/.test(resolved)) return block(`writes to ${path}, which git runs`);
  if (IN_HOME.some((each) => isWithin(resolved, `${home}/${each}`))) return block(`writes to ${path}`);
  // A home folder can be inside a system folder: root's is /root.
  if (isWithin(resolved, home)) return null;
  if (!IN_SYSTEM.some((folder) => isWithin(resolved, folder))) return null;
  return isWithin(resolved, '/opt')
    ? warn(`writes to ${path}, outside of the project`)
    : block(`writes to ${path}, which belongs to the system`);
}

/** A glob is judged by the text before its first wildcard: `/tmp/ralph-*` also names these files. */
function isRemembered(path: string): boolean {
  const name = /^(?:\/private)?\/tmp\/([^/]+)$/.exec(path)?.[1];
  if (name === undefined) return false;
  const start = name.split(/[*?[{]/)[0] ?? '';
  const isPattern = start !== name;
  return REMEMBERED.some((file) => name.startsWith(file) || (isPattern && start !== '' && file.startsWith(start)));
}
