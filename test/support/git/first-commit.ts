/**
 * A git repository with one commit of one file. The first in a process is made by git; the others are written as that
 * one was, because tests make thousands, and each would take git five processes.
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

/** In a folder that is there; the branch is `main`. */
export function makeFirstCommit(work: string, name: string, text: string, env: NodeJS.ProcessEnv): void {
  const git = (...args: string[]): void => void execFileSync('git', args, { cwd: work, env, stdio: 'pipe' });
  writeFileSync(join(work, name), text);
  const place = join(work, '.git');
  const key = JSON.stringify([name, text]);
  const earlier = made.get(key);
  if (earlier === undefined) {
    // Without the samples of hooks, which would be copied along wherever the work tree is.
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
    // The index says of which inode and time the file is that it knows.
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
