/** The harness's own copies of what the list and the PRD were, outside of the work tree: named by their content. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder } from '../../state/folders.ts';
import { writeProjection } from '../../state/projection.ts';
import type { CopyName } from './facts.ts';

export interface Copies {
  /** Keeps a text; null is the name of none. */
  keep(text: string | null): CopyName;
  read(name: CopyName): string | null;
}

export function copiesIn(loop: string): Copies {
  const folder = join(loop, 'copies');
  return {
    keep(text) {
      if (text === null) return null;
      const name = nameOf(text);
      const path = join(folder, name);
      if (!existsSync(path)) {
        makePrivateFolder(folder);
        writeProjection(path, text);
      }
      return name;
    },
    read: (name) => (name === null ? null : readFileSync(join(folder, name), 'utf8')),
  };
}

/** Nobody finds another text with the same name: an agent would like to. */
export function nameOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
