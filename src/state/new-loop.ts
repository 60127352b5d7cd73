/** The folder of a new loop and the first record of its journal: both survive a power cut when they are there. */
import { rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Mask } from '../core/mask.ts';
import { type Created, RECORD_VERSION, type Recorded } from '../core/record.ts';
import type { Instant } from '../core/time.ts';
import { makePrivateFolder, syncToDisk } from './folders.ts';
import { createJournal, type Journal } from './journal.ts';
import { journalPath, loopFolder, type StateRoot } from './paths.ts';
import { keepRequest } from './request.ts';

export interface NewLoop {
  readonly folder: string;
  readonly journal: Journal;
  readonly first: Recorded;
}

export function makeLoop(root: StateRoot, created: Created, at: Instant, mask: Mask): NewLoop {
  const folder = loopFolder(root, created.id);
  const result = { kind: 'created', ...created } as const;
  const first: Recorded = { v: RECORD_VERSION, seq: 0, at, key: 'created', attempt: 1, result };
  try {
    for (const made of makePrivateFolder(folder)) syncToDisk(dirname(made));
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
