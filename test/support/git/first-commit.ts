/**
 * A git repository with one commit of one file. git makes the first one in a process; the others are copies of it,
 * because tests make thousands, and git would need five processes for each.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface Kept {
  readonly path: string;
  readonly content: Buffer;
  readonly mode: number;
}

const made = new Map<string, readonly Kept[]>();

/** The folder must exist; the branch is `main`. */
export function makeFirstCommit(work: string, name: string, text: string, env: NodeJS.ProcessEnv): void {
  const git = (...args: string[]): void => void execFileSync('git', args, { cwd: work, env, stdio: 'pipe' });
  writeFileSync(join(work, name), text);
  const place = join(work, '.git');
  const key = JSON.stringify([name, text]);
  const earlier = made.get(key);
  if (earlier === undefined) {
    // Without the sample hooks, which would be copied along with the work tree.
    git('init', '--quiet', '--initial-branch=main', '--template=');
    git('add', name);
    git('commit', '--quiet', '--message=begin');
    made.set(key, filesIn(place));
  } else {
    for (const folder of ['objects/info', 'objects/pack', 'refs/tags']) {
      mkdirSync(join(place, folder), { recursive: true });
    }
    for (const { path, content, mode } of earlier) {
      mkdirSync(join(place, dirname(path)), { recursive: true });
      writeFileSync(join(place, path), content, { mode });
    }
    // The index contains the inode and the times of the file, which differ for a copy.
    git('update-index', '-q', '--refresh');
  }
  for (const folder of ['hooks', 'info']) mkdirSync(join(place, folder), { recursive: true });
}

function filesIn(place: string): Kept[] {
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((path) => ({
      path: path.slice(place.length + 1),
      content: readFileSync(path),
      mode: statSync(path).mode & 0o777,
    }));
}
