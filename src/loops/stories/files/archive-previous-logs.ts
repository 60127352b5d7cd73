/** Puts away what an earlier loop left for people in the project, so that nobody takes it for the new one's. */
import { existsSync, lstatSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { clearEntry, inHeldFolder } from '../../../state/held-folder.ts';
import { readPlain } from '../../../state/plain-file.ts';
import { writeProjection } from '../../../state/projection.ts';
import { BLOCKED_FILE } from './messages.ts';
import { replaceFile } from './project-file.ts';

export interface EarlierPapers {
  readonly cwd: string;
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
  return [...putBlockAway(papers, ' of an earlier loop'), ...putLogsAside(papers)];
}

/** It says why the loop could not go on, and does not hold once it does. */
export function putBlockAway({ cwd, folder, ralphDir, loop }: Omit<EarlierPapers, 'earlier'>, whose = ''): string[] {
  const file = join(folder, BLOCKED_FILE);
  if (!existsSync(file)) return [];
  const kept = join(loop.folder, BLOCKED_FILE);
  // Never by renaming: the two may lie on different disks.
  writeProjection(kept, readPlain(file) ?? '');
  replaceFile(cwd, file, null);
  return [`${ralphDir}/${BLOCKED_FILE}${whose} is kept in ${kept}`];
}

const OURS = /^(?:iteration-\d+\.log|summary\.csv)$/;

/** Iterations are numbered anew in every loop. A link is somebody's own arrangement, and is left alone. */
function putLogsAside({ folder, ralphDir, loop, earlier }: EarlierPapers): string[] {
  const logs = join(folder, 'logs');
  if (!isFolder(logs)) return [];
  const names = readdirSync(logs).filter((name) => OURS.test(name) && isFile(join(logs, name)));
  if (names.length === 0) return [];
  const place = earlier ?? `before-${loop.id}`;
  inHeldFolder(logs, {}, (from) =>
    inHeldFolder(join(logs, place), { makes: true, clearsBelow: logs }, (to) => {
      for (const name of names) {
        if (!isFile(join(to, name))) clearEntry(join(to, name));
        renameSync(join(from, name), join(to, name));
      }
    }),
  );
  return [`The logs of the last loop are in ${ralphDir}/logs/${place}/`];
}

function isFile(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
