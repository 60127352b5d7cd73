/** How much a folder holds. */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** In bytes; links count as themselves. */
export function sizeOfFolder(folder: string): number {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .map((entry) => join(folder, entry.name))
      .map((path) => ({ path, stat: lstatSync(path) }))
      .reduce((sum, { path, stat }) => sum + (stat.isDirectory() ? sizeOfFolder(path) : stat.size), 0);
  } catch {
    // Something went while it was counted, or may not be looked at: the size is for people.
    return 0;
  }
}
