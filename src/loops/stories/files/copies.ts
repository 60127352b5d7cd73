/**
 * The loop's own copies of story list, PRD and prompt, named by the hash of their content: in memory, where no agent
 * can reach them, and on disk for a resume.
 */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { RalphError } from '../../../core/error.ts';
import { readPlainBytes } from '../../../process/files.ts';
import { makePrivateFolder } from '../../../state/folders.ts';
import { writeProjection } from '../../../state/projection.ts';
import type { CopyName } from '../state.ts';

export type Copies = ReturnType<typeof copiesIn>;

export function copiesIn(loop: string) {
  const folder = join(loop, 'copies');
  const kept = new Map<string, Buffer>();
  const read = (name: CopyName): Buffer | null => {
    if (name === null) return null;
    const known = kept.get(name) ?? readChecked(join(folder, name), name);
    kept.set(name, known);
    return known;
  };
  return {
    keep(content: Uint8Array | string | null): CopyName {
      const name = nameOf(content);
      if (content !== null && name !== null && !kept.has(name)) {
        makePrivateFolder(folder);
        writeProjection(join(folder, name), content);
        kept.set(name, Buffer.from(content));
      }
      return name;
    },
    read,
    text: (name: CopyName): string | null => read(name)?.toString('utf8') ?? null,
  };
}

/** A SHA-256 hash: an agent cannot produce other content with the same name. */
export function nameOf(content: Uint8Array | string | null): CopyName {
  return content === null ? null : createHash('sha256').update(content).digest('hex');
}

/** An agent can write wherever we can, so a copy on disk is only used if its content still matches its name. */
function readChecked(path: string, name: string): Buffer {
  const content = readPlainBytes(path, Number.POSITIVE_INFINITY);
  if (content !== null && nameOf(content) === name) return content;
  const what = content === null ? 'taken away' : 'changed';
  throw new RalphError('COPY_CHANGED', `the harness’s own copy of what an iteration began with was ${what} (${path})`, {
    hint: 'Look through tasks.json and prd.md yourself (git log -p), then end that loop: ralph stories resume',
    exitCode: 9,
  });
}
