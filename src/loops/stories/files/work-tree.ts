/**
 * The project's work tree as the agent sees it. Git can run programs that a repository configures, so git runs in the
 * loop's sandbox.
 */
import { randomUUID } from 'node:crypto';
import { lstatSync, renameSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { readPlainBytes, writeFile } from '../../../process/files.ts';
import type { Host } from '../../../process/host.ts';
import type { Synced } from '../../../runners/choose.ts';
import { type GitLook, gitBy, headCommit, programsOn } from '../../../scm/git.ts';
import { inHeldFolder, removeEntry } from '../../../state/held-folder.ts';
import { refusedLooks } from '../../../state/paths.ts';
import { MARKER_NAME } from '../list/active-file.ts';
import type { IterationMode } from '../list/allowed-changes.ts';
import type { Committed } from '../state.ts';
import { nameOf } from './copies.ts';

export type WorkTree = ReturnType<typeof workTree>;

export function workTree(cwd: string, host: Pick<Host, 'env' | 'enclosure'>, loop: string, synced?: Synced) {
  const run = programsOn(host, cwd, refusedLooks(loop));
  return {
    cwd,
    git: gitBy(run),
    run,
    /** `content` null removes the file. */
    async write(path: string, content: string | Uint8Array | null): Promise<void> {
      replaceFile(cwd, path, content);
      await synced?.write(path, content);
    },
    /** Copies files that were edited outside into the sandbox: its synchronisation never copies a file in twice. */
    async carryIn(paths: readonly string[]): Promise<void> {
      if (synced === undefined) return;
      const inside = await synced.digests(paths);
      for (const [index, path] of paths.entries()) {
        const content = readPlainBytes(path, LARGEST_PRD);
        if (nameOf(content) !== inside[index]) await synced.write(path, content);
      }
    },
    awaitSync: async () => synced?.awaitSync(),
  };
}

/** The repository's top folder if it has this commit, otherwise null; undefined if git could not run at all. */
export async function repositoryWith(commit: string | null, git: GitLook): Promise<string | null | undefined> {
  const commits = commit === null ? [] : [`${commit}^{commit}`];
  const { ok, stdout, stderr } = await git(['rev-parse', '--show-toplevel', ...commits]);
  if (ok) return stdout.split('\n')[0] ?? null;
  return stderr.trim() === '' ? undefined : null;
}

const NOTHING: Committed = { commit: null, problem: null };

/** Without the project's hooks: these commits contain no code to judge, and an agent may have written the hooks. */
const COMMIT = ['-c', 'core.hooksPath=/dev/null', 'commit', '--quiet', '--no-verify', '--no-gpg-sign', '--only'];

/** Commits only the given files, which the harness wrote itself. `paths` are relative to the work tree's folder. */
export async function ownCommit(tree: WorkTree, message: string, paths: readonly string[]): Promise<Committed> {
  if (paths.length === 0) return NOTHING;
  const { git } = tree;
  // `--all` also stages a removed path.
  const staged = await git(['add', '--all', '--', ...paths]);
  if (!staged.ok) return { commit: null, problem: firstLine(staged.stderr) };
  const changes = await git(['status', '--porcelain', '--', ...paths]);
  if (changes.ok && changes.stdout === '') return NOTHING;
  // The commit must not fail because the user has not told git a name.
  const known = await git(['var', 'GIT_COMMITTER_IDENT']);
  const identity = known.ok ? [] : ['-c', 'user.name=Ralph Loop', '-c', 'user.email=ralph@localhost'];
  const made = await git([...identity, ...COMMIT, '-m', message, '--', ...paths]);
  if (!made.ok) return { commit: null, problem: firstLine(made.stderr) || firstLine(made.stdout) };
  const head = await headCommit(git);
  await tree.awaitSync();
  return { commit: head, problem: null };
}

/** The paths that git tracks, or tracked at `head`; others were never committed. */
export async function trackedAmong(paths: readonly string[], head: string | null, { cwd, git }: WorkTree) {
  const tracked: string[] = [];
  for (const path of paths) {
    // One at a time, and relative: git refuses a command if any of its paths is outside the repository.
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

/** A PRD can be larger than a story list. */
export const LARGEST_PRD = 256 * 1024 * 1024;

export const QUARANTINED = '.*.put-aside';

/** Replaces whatever an agent has put there, such as a link, but never the link's target. `content` null removes it. */
export function replaceFile(cwd: string, path: string, content: string | Uint8Array | null): void {
  inHeldFolder(dirname(path), { makes: true, clearsBelow: cwd }, (folder) => {
    const file = join(folder, basename(path));
    const there = lstatSync(file, { throwIfNoEntry: false });
    if (content === null || there?.isFile() === false) removeEntry(file);
    if (content === null) return;
    const next = join(folder, `.${randomUUID()}.ralph`);
    // `wx`: never write through a link that an agent has created under this name.
    writeFile(next, content, { mode: there?.isFile() ? there.mode & 0o777 : 0o644, flag: 'wx' });
    renameSync(next, file);
  });
}

/** Files in which every iteration, a review too, can note what is useful beyond the loop. */
const MEMORY = [':(glob)**/CLAUDE.md', ':(glob)**/.claude/**'];

/**
 * Prints a hash of the code in a work tree: of the tree that git would write, so that an edit changes it and a commit
 * alone does not. Index and new objects are in a temporary folder, and the repository is left as it is. It is a single
 * script because starting a program in a sandbox is slow, and because the temporary folder must be writable in the
 * sandbox. `$1` is the folder with the story list, which does not count as code; neither do the other arguments. The
 * index is built from the last commit, because an agent can mark files in the repository's own index so that git
 * ignores their changes. Git's settings and filters could hide changes, too, and are switched off. A nested repository
 * is read like a normal folder: git itself would only record its commit.
 */
const PRINT = `
  absolute() { case $1 in /*) printf %s "$1" ;; *) printf %s "$PWD/$1" ;; esac }
  git rev-parse --show-toplevel >/dev/null || exit
  prefix=$(git rev-parse --show-prefix) || exit
  own=$(absolute "$(git rev-parse --git-dir)")
  objects=$(absolute "$(git rev-parse --git-path objects)")
  here=$(pwd -P)
  list=$1
  shift
  folder=$(mktemp -d) || exit
  trap 'rm -rf "$folder"' EXIT
  setting() { git config --file "$folder/config" "$1" "$2" || exit; }
  for name in core.sparseCheckout core.fsmonitor core.untrackedCache core.splitIndex; do setting $name false; done
  git config --name-only --get-regexp '^filter[.]' | sort -u >"$folder/filters"
  while IFS= read -r name; do
    case $name in *.clean | *.process) setting "$name" '' ;; *.required) setting "$name" false ;; esac
  done <"$folder/filters"
  export GIT_OBJECT_DIRECTORY="$folder" GIT_ALTERNATE_OBJECT_DIRECTORIES="$objects"
  look() { git -c include.path="$folder/config" "$@"; }
  find . -path ./.git -prune -o -name .git -print -prune | sed 's|^[.]/||; s|/[.]git$||' | LC_ALL=C sort >"$folder/all"

  # Adds the files here to the index, except those that do not count as code and the repositories below "$1".
  taken() {
    base=$1
    shift
    # A file that cannot be read keeps its old entry: it must not hide changes to the others.
    look add --all --ignore-errors -- . >/dev/null 2>&1
    # Git refuses a command that names a path outside of the repository.
    case $list/ in "$PWD"/*) set -- "$list" "$@" ;; esac
    look rm -r -f --cached --quiet --ignore-unmatch -- "$@" >/dev/null || exit
    while IFS= read -r one; do
      case $one in "$base"?*) look update-index --force-remove -- "\${one#"$base"}" || exit ;; esac
    done <"$folder/nested"
  }

  export GIT_INDEX_FILE="$folder/index"
  look read-tree --no-sparse-checkout HEAD 2>/dev/null || rm -f "$folder/index"
  while IFS= read -r one; do
    look check-ignore --quiet -- "$one" || printf '%s\\n' "$one"
  done <"$folder/all" >"$folder/nested"
  cd "$here" || exit
  taken '' "$@"
  tree=$(look write-tree --prefix="$prefix" 2>/dev/null || { look write-tree >/dev/null && echo none; }) || exit
  while IFS= read -r one; do
    inside=$(
      export GIT_DIR="$own" GIT_WORK_TREE="$here/$one" GIT_INDEX_FILE="$folder/index-inside"
      rm -f "$GIT_INDEX_FILE"
      cd "$here/$one" || exit
      taken "$one/" "$@"
      look write-tree
    ) || exit
    tree="$tree
$one $inside"
  done <"$folder/nested"
  printf %s "$tree" | git hash-object --stdin`;

/** A fix must change code, a review must not, an implementation may. Null for an implementation, or if git fails. */
export async function codeSeenIn(mode: IterationMode, { cwd, run }: WorkTree, ralphDir: string) {
  if (mode === 'implement') return null;
  const more = mode === 'review' ? MEMORY : [];
  const { ok, stdout } = await run(['sh', '-c', PRINT, 'print', resolve(cwd, ralphDir), MARKER_NAME, ...more]);
  return ok ? stdout.trim() : null;
}
