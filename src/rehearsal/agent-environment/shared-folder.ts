/** Stands in for a folder that many programs share: all of it is there, but for the part of one of them. */
import { mkdir, readdir, symlink } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { errnoOf } from '../../core/error.ts';

export interface StandIn {
  /** The folder itself, which need not exist. */
  readonly real: string;
  /** Made anew. */
  readonly standIn: string;
  /** The entry that is left out. */
  readonly without: string;
}

/** Links, entry by entry: git's and other programs' files keep their place and their changes. */
export async function makeStandIn({ real, standIn, without }: StandIn): Promise<void> {
  await mkdir(standIn, { recursive: true });
  const entries = await entriesOf(real);
  const linked = entries.filter((name) => name !== without);
  await Promise.all(linked.map((name) => symlink(resolve(real, name), join(standIn, name))));
}

async function entriesOf(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}
