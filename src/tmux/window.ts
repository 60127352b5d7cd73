/**
 * A window that swarm made and can prove to be its own: by the server's identity, the pane's id and a nonce that the
 * pane carries. A renamed window is still found, one that only has the same name is never touched.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Exit } from '../core/outcome.ts';
import type { Duration, Instant } from '../core/time.ts';
import { bornInside, leafPath, stepOut } from '../process/containment/cgroup.ts';
import type { Containment } from '../process/containment/containment.ts';
import { readExitFile, withExitFile } from '../process/containment/exit-wrapper.ts';
import { endRun } from '../process/end.ts';
import { makeFolders, writeFile } from '../process/files.ts';
import { identify, isRunning, type MachineIdentity } from '../process/identity/identity.ts';
import { findProgram } from '../process/which.ts';
import { literal, MARK_PREFIX, type Tmux, TmuxError, tmuxAt } from './command.ts';
import { openPane } from './session.ts';
import { NONCE_OPTION, startScript } from './start-script.ts';
import {
  exitFile,
  isMade,
  makeEmptyFolder,
  type PlannedWindow,
  pipedFile,
  startFile,
  type Window,
  writeWindow,
} from './window-file.ts';

export interface WindowRequest {
  readonly tmux: Tmux;
  readonly place: MachineIdentity;
  readonly session: string;
  /** The window's name, and the worker whose it is. */
  readonly worker: string;
  /** For this window's own files; what an earlier window left there is removed. */
  readonly folder: string;
  /** Everything that the pane shows is added to this file. */
  readonly log: string;
  readonly argv: readonly string[];
  readonly cwd: string;
  /** Whether the command gets a cgroup of its own; without one its processes are known by their mark. */
  readonly containment: Containment;
  /** Proves later that the window is ours; made up unless given. */
  readonly nonce?: string;
  /** Added to what tmux gives every pane. */
  readonly env: Readonly<Record<string, string>>;
}

const LOOK_EVERY: Duration = 5;

/** Opens the window and starts the command in it. Nothing of it is left when this throws. */
export async function createWindow(request: WindowRequest): Promise<Window> {
  const { tmux, place, folder, worker, log, argv, cwd, env, session, containment } = request;
  const program = findProgram('tmux', tmux.env.PATH, cwd);
  if (program === null) throw new TmuxError('tmux is not installed');
  if (!existsSync(cwd)) throw new TmuxError(`no such directory: ${cwd}`);
  const nonce = request.nonce ?? randomBytes(16).toString('hex');
  makeEmptyFolder(folder);
  const mark = markOf({ nonce });
  const leaf = containment.level === 'cgroup' ? leafPath(containment.home, mark) : null;
  const planned: PlannedWindow = { v: 1, worker, nonce, address: tmux.address, leaf };
  // The plan first: a leaf that nothing on disk leads to would stay for ever.
  writeWindow(folder, planned);
  const start = { tmux: program, nonce, mark, worker, log, leaf, argv, env };
  const script = startScript({ ...start, piped: pipedFile(folder, planned) });
  writeFile(startFile(folder, planned), script, { mode: 0o600 });
  // Made now, so that whoever looks for it finds it empty rather than missing.
  writeFile(log, '', { flag: 'a', mode: 0o600 });

  const [first, second, ...rest] = withExitFile(['sh', startFile(folder, planned)], exitFile(folder, planned));
  const front = [first, second ?? '', ...rest].map(literal) as [string, string, ...string[]];
  const deadline = performance.now() + OPENING_TAKES_AT_MOST;
  try {
    for (;;) {
      // Again for each attempt: a window that closed took its leaf along.
      if (leaf !== null) makeFolders(leaf);
      const opened = await openPane(tmux, { session, window: worker, cwd, argv: front, bornFree: freely(containment) });
      // A server that has ended already, with a command that was quick, is known by what can still be known of it.
      const server = identify(opened.serverPid, place) ?? { pid: opened.serverPid, startTime: '', boot: place.boot };
      const { windowId, paneId, socketPath } = opened;
      const pane = identify(opened.panePid, place);
      const window: Window = { v: 1, worker, nonce, address: { socketPath }, leaf, windowId, paneId, server, pane };
      writeWindow(folder, window);
      if (await isMarked(folder, window, place)) return window;
      // A server that was leaving with its last window took ours along; nothing of the command has run.
      if (performance.now() > deadline) throw new TmuxError('the window closed before its command could start');
    }
  } catch (error) {
    await killWindow(planned, tmux.env, place, 0);
    throw error;
  }
}

const OPENING_TAKES_AT_MOST: Duration = 10_000;

/** A server that is started from within a worker is everybody's, and must not end with that worker. */
function freely(containment: Containment): <T>(spawn: () => T) => T {
  if (containment.level !== 'cgroup') return (spawn) => spawn();
  return (spawn) => bornInside(containment.home, containment.home.path, spawn);
}

/**
 * The pane marks itself before it becomes the command; until then nothing could prove that it is ours. False when it
 * closed before that.
 */
async function isMarked(folder: string, window: Window, place: MachineIdentity): Promise<boolean> {
  const isPending = (): boolean => existsSync(startFile(folder, window));
  while (isPending()) {
    // Looked at again: it may have marked itself and ended between the two looks.
    if (!isAlive(window, place) && isPending()) return false;
    await sleep(LOOK_EVERY);
  }
  return true;
}

/** Does its command still run? A look at the process table, no question to tmux. */
export function isAlive({ server, pane }: Window, place: MachineIdentity): boolean {
  return pane !== null && isRunning(server, place) && isRunning(pane, place);
}

export function serverIsAlive({ server }: Window, place: MachineIdentity): boolean {
  return isRunning(server, place);
}

/** The command's own status; null while it runs, or when it was ended together with its front. */
export function exitOf(folder: string, window: Window | PlannedWindow): Exit | null {
  return readExitFile(exitFile(folder, window));
}

/** When its command ended; null where the status says nothing. */
export function exitedAt(folder: string, window: Window | PlannedWindow): Instant | null {
  return statSync(exitFile(folder, window), { throwIfNoEntry: false })?.mtimeMs ?? null;
}

/** Resolves when the last of the output is in the log, or after `atMost`: it goes there through one more process. */
export async function logIsWhole(folder: string, window: Window, atMost: Duration = 2000): Promise<void> {
  const deadline = performance.now() + atMost;
  while (!existsSync(pipedFile(folder, window)) && performance.now() < deadline) await sleep(LOOK_EVERY);
}

/**
 * Closes the pane if it is ours, then ends what is left of its processes. A pane that a person has added to the window
 * stays, and with it the window; a session goes with its last window, by itself.
 */
export async function killWindow(
  window: Window | PlannedWindow,
  env: NodeJS.ProcessEnv,
  place: MachineIdentity,
  grace: Duration = 5000,
): Promise<void> {
  const made = isMade(window) ? window : null;
  if (made === null || isRunning(made.server, place)) {
    const tmux = tmuxAt(window.address, env);
    const paneId = made?.paneId ?? (await paneWithNonce(tmux, window.nonce));
    // Looked at and closed in one step of the server. A refusal means that there is no such pane, which is the aim.
    if (paneId !== null) await tmux.ask(['if-shell', '-F', '-t', paneId, isOurs(window), `kill-pane -t ${paneId}`]);
  }
  const mark = markOf(window);
  // A leaf is ours by its name, as a pane is by its nonce.
  const leaf = window.leaf?.endsWith(mark) === true ? window.leaf : null;
  if (leaf !== null) {
    // A worker may end itself.
    stepOut(leaf);
    await endRun({ plan: { v: 1, rung: 'cgroup', mark, leaf }, leader: null }, grace);
  }
  // The front is not in the leaf; and all of them are known by this alone where none could be made or entered.
  await endRun({ plan: { v: 1, rung: 'group', mark, leaf: null }, leader: made?.pane ?? null }, grace);
}

/** True when the pane is there and carries the nonce: what is typed next reaches the worker and nobody else. */
export async function isProved(window: Window, tmux: Tmux, place: MachineIdentity): Promise<boolean> {
  if (!isRunning(window.server, place)) return false;
  const { ok, stdout } = await tmux.ask(['display-message', '-p', '-t', window.paneId, isOurs(window)]);
  return ok && stdout.trim() === '1';
}

function markOf({ nonce }: { readonly nonce: string }): string {
  return `${MARK_PREFIX}${nonce}`;
}

function isOurs({ nonce }: { readonly nonce: string }): string {
  return `#{==:#{${NONCE_OPTION}},${nonce}}`;
}

/** For a window whose maker died before it could write down where it is. */
async function paneWithNonce(tmux: Tmux, nonce: string): Promise<string | null> {
  const { stdout } = await tmux.ask(['list-panes', '-a', '-F', `#{pane_id} #{${NONCE_OPTION}}`]);
  const line = stdout.split('\n').find((row) => row.endsWith(` ${nonce}`));
  return line?.split(' ')[0] ?? null;
}
