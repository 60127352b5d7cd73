/** Checks whether there is enough disk space for a loop. */
import { statfsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Finding, fine, warning } from '../core/finding.ts';
import { ifThere } from '../process/files.ts';

export interface DiskPlace {
  readonly name: string;
  readonly path: string;
  /** What to do if there is too little space. */
  readonly fix: string;
}

const MB = 1024 ** 2;
/** Transcripts and build output fill less than this in an hour. */
const LITTLE = 500 * MB;

/** Places on the same disk are checked once. */
export function diskFindings(places: readonly DiskPlace[]): Finding[] {
  const seen = new Set<number>();
  return places.flatMap(({ name, path, fix }) => {
    const there = existingPart(path);
    const free = there === null || seen.has(there.device) ? null : freeBytes(there.folder);
    if (there === null || free === null) return [];
    seen.add(there.device);
    if (free >= LITTLE) return [fine(`${sizeText(free)} free for the ${name}: ${path}`)];
    return [warning(`only ${sizeText(free)} free for the ${name}: ${path}`, fix)];
  });
}

/** The nearest existing folder: the path itself may not exist yet. Null if it cannot be read, which shows on use. */
function existingPart(path: string): { readonly folder: string; readonly device: number } | null {
  try {
    for (let folder = path; ; folder = dirname(folder)) {
      const stat = ifThere(() => statSync(folder));
      if (stat !== null) return { folder, device: stat.dev };
      if (folder === dirname(folder)) return null;
    }
  } catch {
    return null;
  }
}

function freeBytes(folder: string): number | null {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    // Some file systems do not report it.
    return null;
  }
}

export function sizeText(bytes: number): string {
  const [size, unit] = bytes < 1024 * MB ? [bytes / MB, 'MB'] : [bytes / (1024 * MB), 'GB'];
  return `${size < 10 ? size.toFixed(1) : Math.round(size)} ${unit}`;
}
