/**
 * Names the content of the code in a work tree, committed or not, by the tree that git would make of it: a commit alone
 * changes nothing, an edit does. Index and new objects go to a folder of ours; the repository is left as it is.
 */
import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { git } from '../../scm/git.ts';
import { MARKER_NAME } from './rules-marker.ts';
import type { IterationMode } from './rules-transitions.ts';

/** Every iteration may write down what holds beyond the loop. */
const MEMORY = [':(glob)**/CLAUDE.md', ':(glob)**/.claude/**'];

/** A fix must change code, a review must not; an implementation may do as it likes, and is not looked at. */
export async function codeSeenIn(
  mode: IterationMode,
  cwd: string,
  ralphDir: string,
  env: NodeJS.ProcessEnv,
): Promise<string | null> {
  return mode === 'implement' ? null : codePrint(cwd, ralphDir, env, mode === 'review' ? MEMORY : []);
}

/** Null outside of a repository, or where git refuses. */
async function codePrint(
  cwd: string,
  ralphDir: string,
  env: NodeJS.ProcessEnv,
  besides: readonly string[],
): Promise<string | null> {
  const asked = ['--show-toplevel', '--git-path', 'index', '--git-path', 'objects'];
  const paths = await git(['rev-parse', ...asked], cwd, env);
  const [top, index, objects] = paths.stdout.split('\n').map((path) => resolve(cwd, path));
  if (!paths.ok || top === undefined || index === undefined || objects === undefined) return null;
  const folder = mkdtempSync(join(tmpdir(), 'ralph-code-'));
  try {
    const own = join(folder, 'index');
    // With it, git knows what it need not read again.
    if (existsSync(index)) copyFileSync(index, own);
    const apart = {
      ...env,
      GIT_INDEX_FILE: own,
      GIT_OBJECT_DIRECTORY: folder,
      GIT_ALTERNATE_OBJECT_DIRECTORIES: objects,
    };
    // A file that cannot be read stays what it was: it must not hide the others.
    await git(['add', '--all', '--ignore-errors', '--', '.'], cwd, apart);
    const left = [...(isWithin(resolve(cwd, ralphDir), top) ? [ralphDir] : []), MARKER_NAME, ...besides];
    const removed = await git(['rm', '-r', '-f', '--cached', '--quiet', '--ignore-unmatch', '--', ...left], cwd, apart);
    const tree = await git(['write-tree'], cwd, apart);
    return removed.ok && tree.ok ? tree.stdout.trim() : null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Git refuses a question that names a path outside of its repository. */
function isWithin(path: string, folder: string): boolean {
  return relative(folder, path).split('/')[0] !== '..';
}
