/** Files that are too large for a snapshot, but are the same in the work tree as in the checked-out commit. */
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

/** `lacking`: the output of `git diff-tree --raw -z` for the commit's files that the snapshot does not hold. */
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

/** Not a link: the commit does not hold its target. */
function isLarge(path: string): boolean {
  const stat = nullOn(['ENOENT', 'ENOTDIR', 'EACCES'], () => lstatSync(path));
  return stat?.isFile() === true && stat.size > LARGEST_FILE;
}

/** Input for `git fast-import`: the same snapshot with these files added. */
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
