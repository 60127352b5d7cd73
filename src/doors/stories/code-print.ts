/**
 * Names the content of the code in a work tree, committed or not, by the tree that git would make of it: a commit alone
 * changes nothing, an edit does. Index and new objects go to a folder of ours; the repository is left as it is.
 */
import { resolve } from 'node:path';
import { MARKER_NAME } from './rules-marker.ts';
import type { IterationMode } from './rules-transitions.ts';
import type { WorkTree } from './work-tree.ts';

/** Every iteration may write down what holds beyond the loop. */
const MEMORY = [':(glob)**/CLAUDE.md', ':(glob)**/.claude/**'];

/**
 * One script, because in a sandbox each program costs a start, and because that folder must be one that can be written
 * there. `$1`: the folder with the list, which is not code; the others are not code either.
 */
const PRINT = `
  absolute() { case $1 in /*) printf %s "$1" ;; *) printf %s "$PWD/$1" ;; esac }
  top=$(git rev-parse --show-toplevel) || exit
  index=$(absolute "$(git rev-parse --git-path index)")
  objects=$(absolute "$(git rev-parse --git-path objects)")
  list=$1
  shift
  # Git refuses a question that names a path outside of its repository.
  case $list/ in "$top"/*) set -- "$list" "$@" ;; esac
  folder=$(mktemp -d) || exit
  trap 'rm -rf "$folder"' EXIT
  # With it, git knows what it need not read again.
  if [ -f "$index" ]; then cp "$index" "$folder/index" || exit; fi
  export GIT_INDEX_FILE="$folder/index" GIT_OBJECT_DIRECTORY="$folder" GIT_ALTERNATE_OBJECT_DIRECTORIES="$objects"
  # A file that cannot be read stays what it was: it must not hide the others.
  git add --all --ignore-errors -- . >/dev/null 2>&1
  git rm -r -f --cached --quiet --ignore-unmatch -- "$@" >/dev/null || exit
  git write-tree`;

/** A fix must change code, a review must not; an implementation may do as it likes, and is not looked at. */
export async function codeSeenIn(mode: IterationMode, tree: WorkTree, ralphDir: string): Promise<string | null> {
  return mode === 'implement' ? null : codePrint(tree, ralphDir, mode === 'review' ? MEMORY : []);
}

/** Null outside of a repository, or where git refuses. */
async function codePrint({ cwd, run }: WorkTree, ralphDir: string, besides: readonly string[]): Promise<string | null> {
  const { ok, stdout } = await run(['sh', '-c', PRINT, 'print', resolve(cwd, ralphDir), MARKER_NAME, ...besides]);
  return ok ? stdout.trim() : null;
}
