/**
 * Names the content of the code in a work tree, committed or not, by the tree that git would make of it: a commit alone
 * changes nothing, an edit does. Index and new objects lie in a folder of ours; the repository is left as it is.
 */
import { resolve } from 'node:path';
import { MARKER_NAME } from '../list/active-marker.ts';
import type { IterationMode } from '../list/allowed-changes.ts';
import type { WorkTree } from './work-tree.ts';

/** Every iteration may write down what holds beyond the loop. */
const MEMORY = [':(glob)**/CLAUDE.md', ':(glob)**/.claude/**'];

/**
 * One script, because in a sandbox each program costs a start, and because that folder must be one that can be written
 * there. `$1`: the folder with the list, which is not code; the others are not code either.
 *
 * The index is made anew from the last commit: in the repository's own an agent can mark files that git is not to look at.
 * So can its settings and its filters, which are switched off. A repository inside of this one is looked at as if it were
 * none: git would only name its commit.
 */
const PRINT = `
  absolute() { case $1 in /*) printf %s "$1" ;; *) printf %s "$PWD/$1" ;; esac }
  top=$(git rev-parse --show-toplevel) || exit
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

  # Takes what is here into the index, without what is no code, and without the repositories below "$1".
  taken() {
    base=$1
    shift
    # A file that cannot be read stays what it was: it must not hide the others.
    look add --all --ignore-errors -- . >/dev/null 2>&1
    # Git refuses a question that names a path outside of its repository.
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

/** A fix must change code, a review must not; an implementation may do as it likes, and is not looked at. */
export async function codeSeenIn(mode: IterationMode, tree: WorkTree, ralphDir: string): Promise<string | null> {
  return mode === 'implement' ? null : codeFingerprint(tree, ralphDir, mode === 'review' ? MEMORY : []);
}

/** Null outside of a repository, or where git refuses. */
async function codeFingerprint(
  { cwd, run }: WorkTree,
  ralphDir: string,
  besides: readonly string[],
): Promise<string | null> {
  const { ok, stdout } = await run(['sh', '-c', PRINT, 'print', resolve(cwd, ralphDir), MARKER_NAME, ...besides]);
  return ok ? stdout.trim() : null;
}
