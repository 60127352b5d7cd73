/** Puts away what an earlier loop left for people in the project, so that nobody takes it for the new one's. */
import { existsSync, lstatSync, mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { readPlain } from '../../state/plain-file.ts';
import { replaceFile } from './project-file.ts';
import { BLOCKED_FILE } from './tell.ts';

export interface EarlierPapers {
  /** The folder with the list, and how it is called from the work tree's. */
  readonly folder: string;
  readonly ralphDir: string;
  /** The new loop. */
  readonly loop: { readonly id: string; readonly folder: string };
  /** The one before it, where it is known. */
  readonly earlier: string | null;
}

/** Gives the lines to say about it. */
export function putPapersAway(papers: EarlierPapers): string[] {
  return [...putBlockAway(papers), ...putLogsAside(papers)];
}

function putBlockAway({ folder, ralphDir, loop }: EarlierPapers): string[] {
  const file = join(folder, BLOCKED_FILE);
  if (!existsSync(file)) return [];
  const kept = join(loop.folder, BLOCKED_FILE);
  // Never by renaming: the two may lie on different disks.
  replaceFile(kept, readPlain(file) ?? '');
  replaceFile(file, null);
  return [`${ralphDir}/${BLOCKED_FILE} of an earlier loop is kept in ${kept}`];
}

const OURS = /^(?:iteration-\d+\.log|summary\.csv)$/;

/** Iterations are numbered anew in every loop. A link is somebody's own arrangement, and is left alone. */
function putLogsAside({ folder, ralphDir, loop, earlier }: EarlierPapers): string[] {
  const logs = join(folder, 'logs');
  if (!isFolder(logs)) return [];
  const names = readdirSync(logs).filter((name) => OURS.test(name));
  if (names.length === 0) return [];
  const place = earlier ?? `before-${loop.id}`;
  mkdirSync(join(logs, place), { recursive: true });
  if (!isFolder(join(logs, place))) return [];
  for (const name of names) renameSync(join(logs, name), join(logs, place, name));
  return [`The logs of the last loop are in ${ralphDir}/logs/${place}/`];
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
