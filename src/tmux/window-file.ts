/**
 * What is on disk about a window that swarm made, so that it can be proved later: the nonce is written before the window
 * is made, its ids and processes after. One folder per window's name.
 */
import { readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolders, readOwnJson, writeFile } from '../process/files.ts';
import type { ProcessIdentity } from '../process/identity/identity.ts';
import type { Address } from './command.ts';

/** Written before the window is made: a maker that died in between has left this, and perhaps a window. */
export interface PlannedWindow {
  readonly v: 1;
  readonly worker: string;
  readonly nonce: string;
  readonly address: Address;
  /** The cgroup that holds whatever its command starts; null where none can be made. */
  readonly leaf: string | null;
}

/** A window that swarm made. */
export interface Window extends PlannedWindow {
  readonly address: { readonly socketPath: string };
  readonly windowId: string;
  readonly paneId: string;
  readonly server: ProcessIdentity;
  /** The pane's first process, the front that writes the exit status; null when it had ended before it could be named. */
  readonly pane: ProcessIdentity | null;
}

const FILE = 'window.json';

export function readWindow(folder: string): Window | PlannedWindow | null {
  const window = readOwnJson(join(folder, FILE)) as Window | PlannedWindow | null;
  // A file of an earlier release names no leaf.
  return window === null ? null : { ...window, leaf: window.leaf ?? null };
}

/** Null also for one that is only planned. */
export function readMadeWindow(folder: string): Window | null {
  const window = readWindow(folder);
  return window !== null && isMade(window) ? window : null;
}

export function isMade(window: Window | PlannedWindow): window is Window {
  return 'paneId' in window;
}

export function writeWindow(folder: string, window: Window | PlannedWindow): void {
  const next = join(folder, `${FILE}.next`);
  writeFile(next, `${JSON.stringify(window)}\n`, { mode: 0o600 });
  renameSync(next, join(folder, FILE));
}

/** What an earlier window of the name left must not be taken for the new one's. */
export function makeEmptyFolder(folder: string): void {
  makeFolders(folder, 0o700);
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
}

/** By the nonce: a status or a last word of an earlier window of the name never counts for this one. */
export function filesOf(folder: string, { nonce }: Pick<Window, 'nonce'>) {
  const file = (kind: string): string => join(folder, `${nonce}.${kind}`);
  return { exit: file('exit'), piped: file('piped'), start: file('start') };
}
