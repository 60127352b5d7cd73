/** Keeps a harness's own files out of commits without touching the project's `.gitignore`. */
import { appendFileSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { errnoOf } from '../core/error.ts';

export function excludeFromGit(cwd: string, pattern: string): void {
  const gitFolder = findGitFolder(cwd);
  if (gitFolder === null) return;
  const path = join(gitFolder, 'info', 'exclude');
  const present = readIfThere(path);
  if (present.split('\n').includes(pattern)) return;
  mkdirSync(dirname(path), { recursive: true });
  appendFileSync(path, `${present === '' || present.endsWith('\n') ? '' : '\n'}${pattern}\n`);
}

/** The folder that holds `info/`: for a worktree, that of the main repository. */
function findGitFolder(from: string): string | null {
  for (let folder = resolve(from); ; folder = dirname(folder)) {
    const candidate = join(folder, '.git');
    const stat = statSync(candidate, { throwIfNoEntry: false });
    if (stat?.isDirectory()) return candidate;
    if (stat?.isFile()) {
      const linked = resolve(
        folder,
        readFileSync(candidate, 'utf8')
          .replace(/^gitdir:\s*/, '')
          .trim(),
      );
      const common = readIfThere(join(linked, 'commondir')).trim();
      return common === '' ? linked : resolve(linked, common);
    }
    if (folder === dirname(folder)) return null;
  }
}

function readIfThere(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return '';
    throw error;
  }
}
