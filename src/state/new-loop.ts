/** The folder of a new loop and the first record of its journal: both survive a power cut when they are there. */
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Created, firstRecord, type Recorded } from '../core/record.ts';
import type { Mask } from '../core/text/mask.ts';
import type { Instant } from '../core/time.ts';
import { makePrivateFolder, syncToDisk } from './folders.ts';
import { createJournal, type Journal } from './journal.ts';
import { journalPath, loopFolder, loopsFolder, type StateRoot } from './paths.ts';
import { keepRequest } from './request.ts';

export interface NewLoop {
  readonly folder: string;
  readonly journal: Journal;
  readonly first: Recorded;
}

/** Before anything else is made in it, such as a lock: only the one that makes a folder knows that it must be synced. */
export function makeLoopsFolder(root: StateRoot): void {
  for (const made of makePrivateFolder(loopsFolder(root))) syncToDisk(dirname(made));
}

export function makeLoop(root: StateRoot, created: Created, at: Instant, mask: Mask): NewLoop {
  const folder = loopFolder(root, created.id);
  const first = firstRecord(created, at);
  try {
    makePrivateFolder(folder);
    syncToDisk(loopsFolder(root));
    keepRequest(folder, created, mask);
    return { folder, journal: createJournal(journalPath(folder), first, mask), first };
  } catch (error) {
    removeUnbegun(folder);
    throw error;
  }
}

/** A loop that could not begin, on a full disk for example, has never been. */
export function removeUnbegun(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // Where nothing can be written nothing can be removed either; what is left has no records, and is no loop.
  }
}
