/**
 * Writes what was planned and agreed to, and keeps a receipt of it among ralph's own files: with it `--remove` can give back
 * the very bytes that were there before, and tells a file that was changed since from one that is still ours. It holds no
 * text of others.
 */
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { RalphError } from '../../core/error.ts';
import { makePrivateFolder } from '../../state/folders.ts';
import type { StateRoot } from '../../state/paths.ts';
import { readPlain } from '../../state/plain-file.ts';
import { writeProjection } from '../../state/projection.ts';
import type { Steps } from './hook-settings.ts';
import type { Plan } from './plan.ts';
import { missingFolders, readIfThere, removeEmptyFolder, removeFile, replaceFile } from './safe-file.ts';

export interface Receipt {
  readonly version: 1;
  readonly files: Readonly<Record<string, Written>>;
  /** That were made for them, the innermost first. */
  readonly folders: readonly string[];
}

export interface Written {
  /** Of the content. */
  readonly hash: string;
  /** The file was not there before. */
  readonly isNew: boolean;
  /** The way back to what was there; null when ralph's hooks were already in it. */
  readonly back: Steps | null;
}

export interface ReceiptPlace {
  readonly root: StateRoot;
  readonly agent: string;
  /** Where the agent's configuration lies. */
  readonly folder: string;
}

/** Null without one, or with one that cannot be read: then the files themselves have to tell. */
export function readReceipt(place: ReceiptPlace): Receipt | null {
  const text = readPlain(pathOf(place));
  if (text === null) return null;
  try {
    const receipt = JSON.parse(text) as Partial<Receipt>;
    return receipt.version === 1 && receipt.files !== undefined && receipt.folders !== undefined
      ? (receipt as Receipt)
      : null;
  } catch {
    return null;
  }
}

/** The receipt comes first: whatever happens then, it can be taken back. */
export function carryOutInstall(plan: Plan, place: ReceiptPlace, earlier: Receipt | null): void {
  refuseIfChanged(plan);
  const made = plan.changes.flatMap(({ path }) => missingFolders(path));
  const folders = [...new Set([...made, ...(earlier?.folders ?? [])])].sort((a, b) => b.length - a.length);
  const receipt: Receipt = { version: 1, files: plan.written, folders };
  makePrivateFolder(folderOf(place));
  writeProjection(pathOf(place), `${JSON.stringify(receipt)}\n`);
  write(plan);
}

export function carryOutRemoval(plan: Plan, place: ReceiptPlace, earlier: Receipt | null): void {
  refuseIfChanged(plan);
  write(plan);
  for (const folder of earlier?.folders ?? []) removeEmptyFolder(folder);
  rmSync(pathOf(place), { force: true });
}

function write({ changes }: Plan): void {
  for (const { path, after } of changes) {
    if (after === null) removeFile(path);
    else replaceFile(path, after);
  }
}

/** A file may have been saved between the plan and the answer. */
function refuseIfChanged({ changes }: Plan): void {
  const changed = changes.find(({ path, before }) => readIfThere(path) !== before);
  if (changed === undefined) return;
  throw new RalphError('CHANGED_MEANWHILE', `${changed.path} was changed in the meantime; nothing was written`, {
    hint: 'Call this again.',
  });
}

export function hashOf(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}

function folderOf({ root }: ReceiptPlace): string {
  return join(root.path, 'installed');
}

function pathOf(place: ReceiptPlace): string {
  return join(folderOf(place), `${place.agent}-${hashOf(place.folder).slice(0, 16)}.json`);
}
