/** A commit of the harness's own: of the files that it wrote itself, and of nothing else. */
import { isAbsolute, relative } from 'node:path';
import { git, gitIn, headCommit } from '../../scm/git.ts';

export interface OwnCommit {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly message: string;
  /** As seen from `cwd`. */
  readonly paths: readonly string[];
}

export interface Committed {
  readonly commit: string | null;
  readonly problem: string | null;
}

const NOTHING: Committed = { commit: null, problem: null };

export async function ownCommit({ cwd, env, message, paths }: OwnCommit): Promise<Committed> {
  if (paths.length === 0) return NOTHING;
  // A path that is gone is staged as gone.
  const staged = await git(['add', '--all', '--', ...paths], cwd, env);
  if (!staged.ok) return { commit: null, problem: firstLine(staged.stderr) };
  const changes = await git(['status', '--porcelain', '--', ...paths], cwd, env);
  if (changes.ok && changes.stdout === '') return NOTHING;
  // The project's own hooks judge code; this is none, and an agent may have written them.
  const commit = [
    '-c',
    'core.hooksPath=/dev/null',
    'commit',
    '--quiet',
    '--no-verify',
    '--no-gpg-sign',
    '--only',
    '-m',
    message,
    '--',
    ...paths,
  ];
  const made = await git([...(await identity(cwd, env)), ...commit], cwd, env);
  if (!made.ok) return { commit: null, problem: firstLine(made.stderr) || firstLine(made.stdout) };
  return { commit: await headCommit(gitIn(cwd, env)), problem: null };
}

/** Those of the paths that git knows, or knew at `head`: others were never anybody's to commit. */
export async function trackedAmong(
  paths: readonly string[],
  head: string | null,
  { cwd, env }: Pick<OwnCommit, 'cwd' | 'env'>,
): Promise<string[]> {
  const isTracked = async (path: string): Promise<boolean> => {
    // One at a time, and as seen from here: git refuses a question that names a path outside of the repository.
    const here = isAbsolute(path) ? relative(cwd, path) : path;
    const now = await git(['ls-files', '--', here], cwd, env);
    if (now.ok && now.stdout !== '') return true;
    const then = head === null ? null : await git(['ls-tree', '-r', '--name-only', head, '--', here], cwd, env);
    return then?.ok === true && then.stdout !== '';
  };
  const tracked: string[] = [];
  for (const path of paths) if (await isTracked(path)) tracked.push(path);
  return tracked;
}

/** Who has told git no name must not lose the commit by it. */
async function identity(cwd: string, env: NodeJS.ProcessEnv): Promise<string[]> {
  const known = await git(['var', 'GIT_COMMITTER_IDENT'], cwd, env);
  return known.ok ? [] : ['-c', 'user.name=Ralph Loop', '-c', 'user.email=ralph@localhost'];
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}
