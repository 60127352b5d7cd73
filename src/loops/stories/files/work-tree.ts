/**
 * The project's work tree where the agent sees it. What reads or changes the repository runs in the loop's sandbox, because
 * git runs programs that a repository names; a file that we write is written on both sides of a synchronisation.
 */
import { isAbsolute, join, relative } from 'node:path';
import type { Host } from '../../../process/host.ts';
import type { Synced } from '../../../runners/choose.ts';
import { type GitLook, gitIn, headCommit, runProgram } from '../../../scm/git.ts';
import { readPlainBytes } from '../../../state/plain-file.ts';
import type { Committed } from '../step-payloads.ts';
import { nameOf } from './copies.ts';
import { LARGEST_PRD, replaceFile } from './project-file.ts';

export type WorkTree = ReturnType<typeof workTree>;

interface WorkTreeOptions {
  readonly cwd: string;
  readonly host: Pick<Host, 'env' | 'enclosure'>;
  readonly synced: Synced | null;
  /** The loop's own folder. */
  readonly loop: string;
}

export function workTree({ cwd, host, synced, loop }: WorkTreeOptions) {
  const { enclosure } = host;
  const env = { ...host.env, ...enclosure?.env };
  const refusals = join(loop, 'looks.refused');
  const enclose = enclosure && ((argv: readonly string[]) => enclosure.enclose(argv, { refusals }));
  return {
    cwd,
    git: gitIn(cwd, env, enclose),
    run: (argv: readonly [string, ...string[]]) => runProgram(argv, cwd, env, enclose),
    /** Null takes the file away. */
    async write(path: string, content: string | Uint8Array | null): Promise<void> {
      replaceFile(cwd, path, content);
      await synced?.write(path, content);
    },
    /** Carries in what was edited here since: the synchronisation never carries a file in twice. */
    async carryIn(paths: readonly string[]): Promise<void> {
      if (synced === null) return;
      const inside = await synced.digests(paths);
      for (const [index, path] of paths.entries()) {
        const content = readPlainBytes(path, LARGEST_PRD);
        const isSame = (content === null ? null : nameOf(content)) === inside[index];
        if (!isSame) await synced.write(path, content);
      }
    },
    /** What was changed inside is here after this. */
    async settle(): Promise<void> {
      await synced?.settle();
    },
  };
}

/**
 * The top folder of the repository, if it knows this commit; null where it does not, or where there is none. Undefined
 * where git could not be asked: then no agent is to blame.
 */
export async function repositoryWith(commit: string | null, git: GitLook): Promise<string | null | undefined> {
  const commits = commit === null ? [] : [`${commit}^{commit}`];
  const { ok, stdout, stderr } = await git(['rev-parse', '--show-toplevel', ...commits]);
  if (ok) return stdout.split('\n')[0] ?? null;
  return stderr.trim() === '' ? undefined : null;
}

const NOTHING: Committed = { commit: null, problem: null };

/** The project's own hooks judge code; this is none, and an agent may have written them. */
const COMMIT = ['-c', 'core.hooksPath=/dev/null', 'commit', '--quiet', '--no-verify', '--no-gpg-sign', '--only'];

/** A commit of the harness's own: of the files that it wrote itself, as seen from the work tree's folder, and of nothing else. */
export async function ownCommit(tree: WorkTree, message: string, paths: readonly string[]): Promise<Committed> {
  if (paths.length === 0) return NOTHING;
  const { git } = tree;
  // A path that is gone is staged as gone.
  const staged = await git(['add', '--all', '--', ...paths]);
  if (!staged.ok) return { commit: null, problem: firstLine(staged.stderr) };
  const changes = await git(['status', '--porcelain', '--', ...paths]);
  if (changes.ok && changes.stdout === '') return NOTHING;
  // A user who has told git no name must not lose the commit by it.
  const known = await git(['var', 'GIT_COMMITTER_IDENT']);
  const identity = known.ok ? [] : ['-c', 'user.name=Ralph Loop', '-c', 'user.email=ralph@localhost'];
  const made = await git([...identity, ...COMMIT, '-m', message, '--', ...paths]);
  if (!made.ok) return { commit: null, problem: firstLine(made.stderr) || firstLine(made.stdout) };
  const head = await headCommit(git);
  await tree.settle();
  return { commit: head, problem: null };
}

/** Those of the paths that git knows, or knew at `head`: others were never committed. */
export async function trackedAmong(paths: readonly string[], head: string | null, { cwd, git }: WorkTree) {
  const tracked: string[] = [];
  for (const path of paths) {
    // One at a time, and as seen from here: git refuses a question that names a path outside of the repository.
    const here = isAbsolute(path) ? relative(cwd, path) : path;
    const now = await git(['ls-files', '--', here]);
    const isHere = now.ok && now.stdout !== '';
    const then = isHere || head === null ? null : await git(['ls-tree', '-r', '--name-only', head, '--', here]);
    if (isHere || (then?.ok === true && then.stdout !== '')) tracked.push(path);
  }
  return tracked;
}

function firstLine(text: string): string {
  return text.trim().split('\n')[0] ?? '';
}
