/** The machine's loops: the folders are the registry, each loop's `status.json` the line a person reads. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { canContinue } from '../core/ending.ts';
import { errnoOf, RalphError } from '../core/error.ts';
import { systemFault } from '../core/system-fault.ts';
import { readPlainText } from '../process/files.ts';
import { readJournal } from './journal.ts';
import { journalPath, loopsFolder, type StateRoot, statusPath } from './paths.ts';
import type { LoopStatus } from './status.ts';

/** Oldest first. A loop that cannot be read is nobody else's trouble: it is left out. */
export function listLoops(root: StateRoot): LoopStatus[] {
  return foldersIn(root)
    .map(readStatus)
    .filter((status): status is LoopStatus => status !== null && !(status instanceof RalphError))
    .sort((a, b) => a.createdAt - b.createdAt);
}

/** The newest unfinished one, unless a later one ended for a reason that can be gone. */
export function newestToContinue(root: StateRoot, door: string, cwd: string): LoopStatus | null {
  const loops = listLoops(root).filter((loop) => loop.door === door && loop.cwd === cwd);
  const newest = loops.at(-1);
  if (newest?.ending && canContinue(newest.ending)) return newest;
  return loops.findLast(({ ending }) => ending === null) ?? null;
}

/** For a refusal because no loop was found: it may be one that cannot be read. The hint is of use where all can be. */
export function unlessUnreadable(root: StateRoot, hint: string): string {
  const [first, ...more] = foldersIn(root)
    .map(readStatus)
    .filter((status) => status instanceof RalphError);
  if (first === undefined) return hint;
  const others = more.length === 0 ? '' : ` (and ${more.length} more like it)`;
  return `It may be one that cannot be read: ${first.message}${others}`;
}

/** Null for what is no loop, an error for one that cannot be read. */
function readStatus(loop: string): LoopStatus | RalphError | null {
  try {
    return projected(loop) ?? statusFromJournal(loop);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')) return null;
    if (error instanceof RalphError) return error;
    const fault = systemFault(error);
    if (fault === null) throw error;
    return fault;
  }
}

/** Null where there is none, or one that a power cut, or somebody, has spoilt: the journal still knows. */
function projected(loop: string): LoopStatus | null {
  let text: string;
  try {
    text = readPlainText(statusPath(loop));
  } catch (error) {
    if (error instanceof RalphError || systemFault(error) !== null) return null;
    throw error;
  }
  try {
    const status = JSON.parse(text) as Partial<LoopStatus> | null;
    const { id, door, cwd, createdAt, ending } = status ?? {};
    const isOurs = [id, door, cwd].every((field) => typeof field === 'string') && typeof createdAt === 'number';
    return isOurs && ending !== undefined ? (status as LoopStatus) : null;
  } catch {
    return null;
  }
}

/** For a loop that died between its first record and its first status, or lost its status. */
function statusFromJournal(loop: string): LoopStatus | null {
  const { records } = readJournal(journalPath(loop));
  const [first] = records;
  if (first?.result.kind !== 'created') return null;
  const { id, door, cwd } = first.result;
  const { at } = first;
  const ended = records.at(-1)?.result;
  return {
    v: 1,
    id,
    door,
    cwd,
    createdAt: at,
    updatedAt: at,
    iteration: 1,
    phase: 'inputs',
    ending: ended?.kind === 'ended' ? ended.ending : null,
  };
}

function foldersIn(root: StateRoot): string[] {
  const folder = loopsFolder(root);
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}
