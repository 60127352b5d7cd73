/** The stories loop of a project: the newest one counts. */
import { readJournal } from '../../state/journal.ts';
import { journalPath, loopFolder, type StateRoot } from '../../state/paths.ts';
import { listLoops } from '../../state/registry.ts';
import type { LoopStatus } from '../../state/status.ts';
import type { StoriesRequest } from './request.ts';

export function newestStories(root: StateRoot, cwd: string, except: string | null = null): LoopStatus | null {
  const fits = ({ id, door, cwd: where }: LoopStatus): boolean => door === 'stories' && where === cwd && id !== except;
  return listLoops(root).findLast(fits) ?? null;
}

/** What a loop was started with, and whether it has come to rest where it was told to. */
export interface KnownLoop {
  readonly status: LoopStatus;
  readonly request: StoriesRequest | null;
  readonly isPaused: boolean;
}

export function knownLoop(root: StateRoot, cwd: string): KnownLoop | null {
  const status = newestStories(root, cwd);
  if (status === null) return null;
  const { records } = readJournal(journalPath(loopFolder(root, status.id)));
  const created = records[0]?.result;
  const last = records.at(-1)?.result;
  return {
    status,
    // Written by this door's own start.
    request: created?.kind === 'created' ? (created.options as unknown as StoriesRequest) : null,
    isPaused: last?.kind === 'waited' && last.command === 'pause',
  };
}
