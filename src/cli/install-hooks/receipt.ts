/**
 * What an installation has written, kept among ralph's own files: with it `--remove` can give back the very bytes that were
 * there before, and tells a file that somebody has changed since from one that is still ours. It holds no text of others.
 */
import { createHash } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder } from '../../state/folders.ts';
import type { StateRoot } from '../../state/paths.ts';
import { readPlain } from '../../state/plain-file.ts';
import { writeProjection } from '../../state/projection.ts';
import type { Steps } from './hook-settings.ts';

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

export function keepReceipt(place: ReceiptPlace, receipt: Receipt): void {
  makePrivateFolder(folderOf(place));
  writeProjection(pathOf(place), `${JSON.stringify(receipt)}\n`);
}

export function dropReceipt(place: ReceiptPlace): void {
  rmSync(pathOf(place), { force: true });
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
