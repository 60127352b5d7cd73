/** Files that decide what runs, who may log in and what the harness does: written by no agent, whatever the tool. */
import { block, type Concern, type Context, warn } from './category.ts';
import { isWithin, resolvePath } from './paths.ts';
import { list } from './tables.ts';

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
/** The hooks' own files of a session, in /tmp. */
const REMEMBERED = ['ralph-acting-', 'ralph-stop-', 'ralph-no-node-', 'claude-context-alerts-'];
/** Where an agent is asked to keep what it has learned. */
const NOTES = '.claude/rules';

export function writesSensitively(
  path: string,
  cwd: string | null,
  context: Pick<Context, 'home' | 'project' | 'protectedFolders'>,
): Concern | null {
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
  // A home of its own may lie below: root's is /root.
  if (isWithin(resolved, home)) return null;
  if (!IN_SYSTEM.some((folder) => isWithin(resolved, folder))) return null;
  return isWithin(resolved, '/opt')
    ? warn(`writes to ${path}, outside of the project`)
    : block(`writes to ${path}, which belongs to the system`);
}

/** A pattern is known by what stands before it: `/tmp/ralph-*` names these files, too. */
function isRemembered(path: string): boolean {
  const name = /^(?:\/private)?\/tmp\/([^/]+)$/.exec(path)?.[1];
  if (name === undefined) return false;
  const start = name.split(/[*?[{]/)[0] ?? '';
  const isPattern = start !== name;
  return REMEMBERED.some((file) => name.startsWith(file) || (isPattern && start !== '' && file.startsWith(start)));
}
