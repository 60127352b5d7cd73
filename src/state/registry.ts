/** The machine's loops: the folders are the registry, each loop's `status.json` the line a person reads. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canContinue } from '../core/ending.ts';
import { errnoOf } from '../core/error.ts';
import type { Recorded } from '../core/record.ts';
import { readJournal } from './journal.ts';
import { journalPath, loopsFolder, type StateRoot, statusPath } from './paths.ts';
import type { LoopStatus } from './status.ts';

/** Oldest first. */
export function listLoops(root: StateRoot): LoopStatus[] {
  return namesIn(loopsFolder(root))
    .map((id) => readStatus(join(loopsFolder(root), id)))
    .filter((status) => status !== null)
    .sort((a, b) => a.createdAt - b.createdAt);
}

/** The newest unfinished one, unless a later one ended for a reason that can be gone. */
export function newestToContinue(root: StateRoot, door: string, cwd: string): LoopStatus | null {
  const loops = listLoops(root).filter((loop) => loop.door === door && loop.cwd === cwd);
  const newest = loops.at(-1);
  if (newest?.ending && canContinue(newest.ending)) return newest;
  return loops.findLast(({ ending }) => ending === null) ?? null;
}

function readStatus(loop: string): LoopStatus | null {
  let text: string;
  try {
    text = readFileSync(statusPath(loop), 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOTDIR') return null;
    if (errnoOf(error) === 'ENOENT') return statusFromJournal(loop);
    throw error;
  }
  try {
    return JSON.parse(text) as LoopStatus;
  } catch {
    // A power cut can empty a projection: the journal still knows.
    return statusFromJournal(loop);
  }
}

/** For a loop that died between its first record and its first status, or lost its status. */
function statusFromJournal(loop: string): LoopStatus | null {
  let records: readonly Recorded[];
  try {
    records = readJournal(journalPath(loop)).records;
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
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

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}
