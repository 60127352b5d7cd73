/** The machine's loops: the folders are the registry, each loop's `status.json` the line a person reads. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
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

export function newestUnfinished(root: StateRoot, door: string, cwd: string): LoopStatus | null {
  const fits = (loop: LoopStatus): boolean => loop.door === door && loop.cwd === cwd && loop.ending === null;
  return listLoops(root).findLast(fits) ?? null;
}

function readStatus(loop: string): LoopStatus | null {
  try {
    return JSON.parse(readFileSync(statusPath(loop), 'utf8')) as LoopStatus;
  } catch (error) {
    if (errnoOf(error) === 'ENOTDIR') return null;
    if (errnoOf(error) === 'ENOENT') return statusFromJournal(loop);
    throw error;
  }
}

/** For a loop that died between its first record and its first status. */
function statusFromJournal(loop: string): LoopStatus | null {
  let first: Recorded | undefined;
  try {
    first = readJournal(journalPath(loop)).records[0];
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
  if (first?.result.kind !== 'created') return null;
  const { id, door, cwd } = first.result;
  const { at } = first;
  return { v: 1, id, door, cwd, createdAt: at, updatedAt: at, iteration: 1, phase: 'inputs', ending: null };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}
