/** The loop that a task had last, and what it was started with: a resume goes on from there. */
import type { Ending } from '../../core/ending.ts';
import { neverBegan } from '../../engine/loop.ts';
import { readJournal } from '../../state/journal.ts';
import { withRequest } from '../../state/new-loop.ts';
import { journalPath, loopFolder, type StateRoot } from '../../state/paths.ts';
import { loopsIn, unreadableHere } from '../../state/registry.ts';
import type { TaskInputs, TaskRequest } from './rules.ts';

export interface LastLoop {
  readonly id: string;
  /** Null: it was cut off, and can be opened again. */
  readonly ending: Ending | null;
  readonly request: TaskRequest;
  /** At last: a resume may have been given another limit. */
  readonly maxRestarts: number;
}

/** Null for a task that never had one on this machine. */
export function lastLoop(root: StateRoot, folder: string): LastLoop | null {
  const last = loopsIn(root, 'task', folder).at(-1);
  if (last === undefined) {
    const trouble = unreadableHere(root, 'task', folder);
    if (trouble === null) return null;
    throw trouble;
  }
  const loop = loopFolder(root, last.id);
  const records = withRequest(readJournal(journalPath(loop)).records, loop);
  const created = records[0]?.result;
  if (created?.kind !== 'created') throw neverBegan(last.id, loop);
  // Both written by this loop kind.
  const request = created.options as TaskRequest;
  const read = records.findLast(({ result }) => result.kind === 'inputs' && result.inputs !== undefined)?.result;
  const inputs = read?.kind === 'inputs' ? (read.inputs as TaskInputs) : null;
  return { id: last.id, ending: last.ending, request, maxRestarts: inputs?.maxRestarts ?? request.maxRestarts };
}
