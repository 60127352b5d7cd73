/** Files that are too large for a snapshot, and are in the work tree as they are in the commit that is checked out there. */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { nullOn } from '../process/files.ts';
import { LARGEST_FILE } from '../scm/snapshots/list-files.ts';
import { quoted } from '../scm/snapshots/take.ts';

export interface LargeFile {
  readonly path: string;
  readonly mode: string;
  readonly blob: string;
}

/** `lacking`: what `git diff-tree --raw -z` says of the commit's files that the snapshot does not hold. */
export async function largeFiles(
  lacking: string,
  root: string,
  idOf: (path: string) => Promise<string>,
): Promise<LargeFile[]> {
  const words = lacking.split('\0').filter(Boolean);
  const found: LargeFile[] = [];
  for (const [index, path] of words.entries()) {
    if (index % 2 === 0) continue;
    const [, mode = '', , blob = ''] = (words[index - 1] ?? '').split(' ');
    if (isLarge(join(root, path)) && (await idOf(path)) === blob) found.push({ path, mode, blob });
  }
  return found;
}

/** No link: what it leads to is not in the commit. */
function isLarge(path: string): boolean {
  const stat = nullOn(['ENOENT', 'ENOTDIR', 'EACCES'], () => lstatSync(path));
  return stat?.isFile() === true && stat.size > LARGEST_FILE;
}

/** For `git fast-import`: the same snapshot with these files. */
export function withLargeFiles(files: readonly LargeFile[], ref: string, from: string): Buffer {
  const lines = [
    `commit ${ref}`,
    'mark :1',
    'committer ralph <ralph@localhost> now',
    'data 0',
    `from ${from}`,
    ...files.map(({ path, mode, blob }) => `M ${mode} ${blob} ${quoted(path)}`),
    'get-mark :1',
    'done',
  ];
  return Buffer.from(`${lines.join('\n')}\n`);
}
