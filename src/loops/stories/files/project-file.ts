/**
 * Writes files of the project that an agent may have replaced by anything, a link, a pipe, a folder: what is written
 * replaces whatever stands there, never what it points to. The same holds for the folders on the way.
 */
import { randomUUID } from 'node:crypto';
import { lstatSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { writeFile } from '../../../process/files.ts';
import { clearEntry, inHeldFolder } from '../../../state/held-folder.ts';

/** A PRD may be larger than a list. */
export const LARGEST_PRD = 256 * 1024 * 1024;

/** What an agent leaves in the place of a file and is not thrown away, for `.git/info/exclude`. */
export const PUT_ASIDE = '.*.put-aside';

/** Null takes the file away. */
export function replaceFile(cwd: string, path: string, content: string | Uint8Array | null): void {
  inHeldFolder(dirname(path), { makes: true, clearsBelow: cwd }, (folder) => {
    const file = join(folder, basename(path));
    const there = lstatSync(file, { throwIfNoEntry: false });
    if (content === null || there?.isFile() === false) clearEntry(file);
    if (content === null) return;
    const next = join(folder, `.${randomUUID()}.ralph`);
    // Whatever the agent has put there under this name, it is not written through.
    writeFile(next, content, { mode: there?.isFile() ? there.mode & 0o777 : 0o644, flag: 'wx' });
    renameSync(next, file);
  });
}
