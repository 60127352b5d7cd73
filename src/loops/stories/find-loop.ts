/** The stories loop of a project: the newest one counts. */

import { errnoOf, RalphError } from '../../core/error.ts';
import { fold, loopMachine } from '../../core/machine.ts';
import type { Recorded } from '../../core/record.ts';
import type { LoopState } from '../../core/state.ts';
import { readJournal } from '../../state/journal.ts';
import { journalPath, loopFolder, type StateRoot } from '../../state/paths.ts';
import { type ListedLoop, listLoops } from '../../state/registry.ts';
import type { StoriesRequest } from './request.ts';
import { storiesRules } from './rules.ts';
import type { StoriesData } from './story-state.ts';

export function newestStories(root: StateRoot, cwd: string, except: string | null = null): ListedLoop | null {
  const fits = ({ id, loopKind, cwd: where }: ListedLoop): boolean =>
    loopKind === 'stories' && where === cwd && id !== except;
  return listLoops(root).findLast(fits) ?? null;
}

/** What a loop was started with, and whether it has come to rest where it was told to. */
export interface KnownLoop {
  readonly status: ListedLoop;
  readonly request: StoriesRequest | null;
  readonly isPaused: boolean;
  /** Where its records end; null where they cannot be read. */
  readonly state: LoopState<StoriesData> | null;
}

export function knownLoop(root: StateRoot, cwd: string): KnownLoop | null {
  const status = newestStories(root, cwd);
  if (status === null) return null;
  const records = recordsIn(loopFolder(root, status.id));
  const state = folded(records);
  const [created, last] = [records[0]?.result, records.at(-1)?.result];
  return {
    status,
    // Written by this loop kind's own start.
    request: created?.kind === 'created' ? (created.options as StoriesRequest) : null,
    isPaused: last?.kind === 'waited' && last.command === 'pause',
    state,
  };
}

/** Where the records of a loop end; null where they cannot be read. */
export function dataIn(loop: string): StoriesData | null {
  return folded(recordsIn(loop))?.data ?? null;
}

function folded(records: readonly Recorded[]): LoopState<StoriesData> | null {
  try {
    return records.length === 0 ? null : fold(loopMachine(storiesRules), records);
  } catch {
    // A newer release wrote them, or an agent: whoever goes on with the loop says so, who only looks sees the rest.
    return null;
  }
}

/** None where an agent has taken them away or spoilt them: whoever only looks must still see the rest. */
function recordsIn(loop: string): readonly Recorded[] {
  try {
    return readJournal(journalPath(loop)).records;
  } catch (error) {
    const isSpoilt = error instanceof RalphError && error.code === 'JOURNAL_DAMAGED';
    if (isSpoilt || ['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES'].includes(errnoOf(error) ?? '')) return [];
    throw error;
  }
}
