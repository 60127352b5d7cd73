/**
 * A window that swarm opened: identified by the server's process, the pane's id and a nonce in it, never by its name.
 */
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Duration } from '../core/time.ts';
import { stepOut } from '../process/containment/cgroup.ts';
import { readExitFile } from '../process/containment/exit-wrapper.ts';
import { endRun } from '../process/end.ts';
import { makeFolders, readOwnJson, writeFile } from '../process/files.ts';
import { isRunning, type ProcessIdentity } from '../process/identity/identity.ts';
import { type Address, type Tmux, tmuxAt } from './command.ts';
import { type Pane, paneAt } from './pane.ts';
import { MARK_PREFIX } from './worker-mark.ts';

/** Written before the window is created: a process that died in between has left this, and perhaps a window. */
export interface PlannedWindow {
  readonly v: 1;
  readonly worker: string;
  readonly nonce: string;
  readonly address: Address;
  /** The cgroup that holds whatever its command starts; null if none can be made. */
  readonly leaf: string | null;
}

export interface Window extends PlannedWindow {
  readonly address: { readonly socketPath: string };
  readonly windowId: string;
  readonly paneId: string;
  readonly server: ProcessIdentity;
  /** The pane's first process, the wrapper that writes the exit status; null if it ended before it was identified. */
  readonly pane: ProcessIdentity | null;
}

const FILE = 'window.json';

export function readWindow(folder: string): Window | PlannedWindow | null {
  const window = readOwnJson(join(folder, FILE)) as Window | PlannedWindow | null;
  // A file of an earlier release has no leaf.
  return window && { ...window, leaf: window.leaf ?? null };
}

/** Also null for a window that is only planned. */
export function readMadeWindow(folder: string): Window | null {
  const window = readWindow(folder);
  return window !== null && isMade(window) ? window : null;
}

export const isMade = (window: Window | PlannedWindow): window is Window => 'paneId' in window;

export function writeWindow(folder: string, window: Window | PlannedWindow): void {
  const next = join(folder, `${FILE}.next`);
  writeFile(next, `${JSON.stringify(window)}\n`, { mode: 0o600 });
  renameSync(next, join(folder, FILE));
}

/** What an earlier window of this name left must not be taken for the new one's. */
export function makeEmptyFolder(folder: string): void {
  makeFolders(folder, 0o700);
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true });
}

/** Named after the nonce: the status or the last output of an earlier window of this name never counts for this one. */
export function filesOf(folder: string, { nonce }: Pick<Window, 'nonce'>) {
  const file = (kind: string): string => join(folder, `${nonce}.${kind}`);
  return { exit: file('exit'), piped: file('piped'), start: file('start') };
}

/** Whether its command still runs. Looks at the process table; tmux is not asked. */
export function isAlive({ server, pane }: Window): boolean {
  return pane !== null && isRunning(server) && isRunning(pane);
}

export const serverIsAlive = ({ server }: Window) => isRunning(server);

/** The command's own status; null while it runs, or if it was ended together with its wrapper. */
export const exitOf = (folder: string, window: PlannedWindow) => readExitFile(filesOf(folder, window).exit);

/** When its command ended; null if there is no status. */
export const exitedAt = (folder: string, window: PlannedWindow) =>
  statSync(filesOf(folder, window).exit, { throwIfNoEntry: false })?.mtimeMs ?? null;

/** Resolves when all of the output is in the log, or after two seconds: it passes through one more process. */
export const logIsWhole = (folder: string, window: Window) => appears(filesOf(folder, window).piped);

export async function appears(file: string): Promise<void> {
  const deadline = performance.now() + 2000;
  while (!existsSync(file) && performance.now() < deadline) await sleep(5);
}

/** Closes the pane if it is ours, then ends what is left of its processes. A pane that a person has added stays. */
export async function killWindow(
  window: Window | PlannedWindow,
  env: NodeJS.ProcessEnv,
  grace: Duration = 5000,
): Promise<void> {
  const made = isMade(window) ? window : null;
  if (made === null || isRunning(made.server)) {
    const tmux = tmuxAt(window.address, env);
    const paneId = made?.paneId ?? (await paneWithNonce(tmux, window.nonce));
    const isOurs = `#{==:#{${NONCE_OPTION}},${window.nonce}}`;
    // Checked and closed in one step of the server. A refusal means that there is no such pane, which is the goal.
    if (paneId !== null) await tmux.ask(['if-shell', '-F', '-t', paneId, isOurs, `kill-pane -t ${paneId}`]);
  }
  const mark = markOf(window);
  // A leaf is known to be ours by its name, as a pane is by its nonce.
  const leaf = window.leaf?.endsWith(mark) === true ? window.leaf : null;
  if (leaf !== null) {
    // A worker can end itself: then this process must leave the leaf first.
    stepOut(leaf);
    await endRun({ plan: { v: 1, level: 'cgroup', mark, leaf }, leader: null }, grace);
  }
  // The wrapper is not in the leaf; and if no leaf could be made or entered, this is the only way to find them all.
  await endRun({ plan: { v: 1, level: 'group', mark, leaf: null }, leader: made?.pane ?? null }, grace);
}

/** Its pane, as long as its command runs: the pane's first process proves that the id still means this pane. */
export function paneOfWindow(window: Window, env: NodeJS.ProcessEnv): Pane {
  return paneAt(tmuxAt(window.address, env), window.paneId, () => isAlive(window));
}

/** A user option of the window and of the pane, since a person can move a pane to another window. */
export const NONCE_OPTION = '@swarm_nonce';

export const markOf = ({ nonce }: { readonly nonce: string }) => `${MARK_PREFIX}${nonce}`;

/** For a window whose creator died before it could record where it is. */
async function paneWithNonce(tmux: Tmux, nonce: string): Promise<string | null> {
  const { stdout } = await tmux.ask(['list-panes', '-a', '-F', `#{pane_id} #{${NONCE_OPTION}}`]);
  const line = stdout.split('\n').find((row) => row.endsWith(` ${nonce}`));
  return line?.split(' ')[0] ?? null;
}
