/** Creates the folder of a new loop and the first record of its journal; once created, both survive a power cut. */
import { rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { RalphError } from '../core/error.ts';
import { type Created, firstRecord, type Recorded } from '../core/record.ts';
import { parsedJson } from '../core/text/json.ts';
import { type Mask, maskData } from '../core/text/mask.ts';
import type { Instant } from '../core/time.ts';
import { ifThere, readPlainText, writeFile } from '../process/files.ts';
import { makePrivateFolder, syncToDisk } from './folders.ts';
import { createJournal } from './journal.ts';
import { journalPath, loopFolder, loopsFolder, type StateRoot } from './paths.ts';

/** Call this before making anything else in it, such as a lock: only who makes a folder knows to sync it. */
export function makeLoopsFolder(root: StateRoot): void {
  for (const made of makePrivateFolder(loopsFolder(root))) syncToDisk(dirname(made));
}

export function makeLoop(root: StateRoot, created: Created, at: Instant, mask: Mask) {
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

/** Removes a loop that could not begin, for example because the disk is full. */
export function removeUnbegun(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // If nothing can be written, nothing can be removed either; what is left has no records, so it is not a loop.
  }
}

/** A request that contains a key gets its own file: the journal masks it, and the next supervisor needs it whole. */
export function keepRequest(loop: string, { options }: Created, mask: Mask): void {
  const text = JSON.stringify(options);
  if (JSON.stringify(maskData(options, mask)) === text) return;
  writeFile(requestPath(loop), text, { mode: 0o600 });
  syncToDisk(requestPath(loop));
}

export function withRequest(records: readonly Recorded[], loop: string): Recorded[] {
  const [first, ...rest] = records;
  return first === undefined ? [] : [wholeRecord(first, loop), ...rest];
}

/** The first record with its unmasked request; any other record unchanged. */
export function wholeRecord(record: Recorded, loop: string): Recorded {
  const { masked, result } = record;
  const isMasked = masked === true && result.kind === 'created';
  const text = isMasked ? ifThere(() => readPlainText(requestPath(loop))) : null;
  if (!isMasked || text === null) return record;
  const options = parsedJson(text);
  if (options !== undefined) return { ...record, result: { ...result, options } };
  const hint = 'Restore it from a copy, or start a new loop.';
  throw new RalphError('REQUEST_DAMAGED', `${requestPath(loop)} is damaged: it is not valid JSON`, { hint });
}

function requestPath(loop: string): string {
  return join(loop, 'request.json');
}
