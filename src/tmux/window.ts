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
import { literal, type Tmux, TmuxError, tmuxAt } from './command.ts';
import { openPane } from './session.ts';
import { NONCE_OPTION, startScript } from './start-script.ts';
import { filesOf, isMade, makeEmptyFolder, type PlannedWindow, type Window, writeWindow } from './window-file.ts';
import { MARK_PREFIX } from './worker-mark.ts';

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
const LAST_WORDS_TAKE_AT_MOST: Duration = 2000;

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
  const files = filesOf(folder, planned);
  const script = startScript({ tmux: program, nonce, mark, worker, log, leaf, argv, env, piped: files.piped });
  writeFile(files.start, script, { mode: 0o600 });
  // Made now, so that it is found empty rather than missing.
  writeFile(log, '', { flag: 'a', mode: 0o600 });

  const front = withExitFile(['sh', files.start], files.exit).map(literal);
  const opening = { session, window: worker, cwd, argv: front, bornFree: freely(containment) };
  const deadline = performance.now() + OPENING_TAKES_AT_MOST;
  try {
    for (;;) {
      // Again for each attempt: a window that closed took its leaf along.
      if (leaf !== null) makeFolders(leaf);
      const opened = await openPane(tmux, opening);
      // A server that was leaving with its last window took ours along; nothing of the command has run.
      let why = 'the window closed before its command could start';
      if ('refusal' in opened) why = opened.refusal;
      else {
        const { windowId, paneId, socketPath, serverPid, panePid } = opened;
        // A server that has ended already, with a command that was quick, is known by what can still be known of it.
        const server = identify(serverPid, place) ?? { pid: serverPid, startTime: '', boot: place.boot };
        const pane = identify(panePid, place);
        const window: Window = { ...planned, address: { socketPath }, windowId, paneId, server, pane };
        writeWindow(folder, window);
        if (await isMarked(files.start, window, place)) return window;
      }
      if (performance.now() > deadline) throw new TmuxError(why);
      await sleep(Math.random() * LOOK_AGAIN_WITHIN);
    }
  } catch (error) {
    await killWindow(planned, tmux.env, place, 0);
    throw error;
  }
}

/** Others may make or end the session, and with it the server, meanwhile, but not for ever. */
const OPENING_TAKES_AT_MOST: Duration = 10_000;
/** Not in step with the others. */
const LOOK_AGAIN_WITHIN: Duration = 50;

/** A server that is started from within a worker is for all of them, and must not end with that worker. */
function freely(containment: Containment): <T>(spawn: () => T) => T {
  if (containment.level !== 'cgroup') return (spawn) => spawn();
  return (spawn) => bornInside(containment.home, containment.home.path, spawn);
}

/**
 * The pane marks itself before it becomes the command; until then nothing could prove that it is ours. False when it
 * closed before that.
 */
async function isMarked(start: string, window: Window, place: MachineIdentity): Promise<boolean> {
  const isPending = (): boolean => existsSync(start);
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
  return readExitFile(filesOf(folder, window).exit);
}

/** When its command ended; null where the status says nothing. */
export function exitedAt(folder: string, window: Window | PlannedWindow): Instant | null {
  return statSync(filesOf(folder, window).exit, { throwIfNoEntry: false })?.mtimeMs ?? null;
}

/** Resolves when the last of the output is in the log, or after two seconds: it goes there through one more process. */
export function logIsWhole(folder: string, window: Window): Promise<void> {
  return appears(filesOf(folder, window).piped);
}

export async function appears(file: string): Promise<void> {
  const deadline = performance.now() + LAST_WORDS_TAKE_AT_MOST;
  while (!existsSync(file) && performance.now() < deadline) await sleep(LOOK_EVERY);
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

export type Pane = Awaited<ReturnType<typeof openedPane>>;

/** tmux takes no message of 16 KB or more; a character is at most four bytes. */
const MOST_AT_ONCE = 3000;

/**
 * Looks at the window's pane and types into it: by the pane's id, and only when the pane carries the nonce, so that what
 * is typed reaches the worker. Throws when the window is gone, or is not the one that was made.
 */
export async function openedPane(window: Window, env: NodeJS.ProcessEnv, place: MachineIdentity) {
  const tmux = tmuxAt(window.address, env);
  const at = ['-t', window.paneId];
  const proof = isRunning(window.server, place)
    ? await tmux.ask(['display-message', '-p', ...at, isOurs(window)])
    : null;
  if (proof?.ok !== true || proof.stdout.trim() !== '1') throw new TmuxError('its tmux window is gone');
  return {
    tmux,
    /** What the screen shows; with `history`, that many lines before it too. */
    capture: (history = 0) => tmux.run(['capture-pane', '-p', ...at, ...(history > 0 ? ['-S', `-${history}`] : [])]),
    /** Keys by tmux's names, such as `C-c` or `Enter`. */
    async press(...keys: string[]): Promise<void> {
      await tmux.run(['send-keys', ...at, ...keys]);
    },
    /** Text as it is. */
    async type(text: string): Promise<void> {
      const characters = [...text];
      for (let from = 0; from < characters.length; from += MOST_AT_ONCE) {
        const part = characters.slice(from, from + MOST_AT_ONCE).join('');
        await tmux.run(['send-keys', ...at, '-l', '--', literal(part)]);
      }
    },
  };
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
