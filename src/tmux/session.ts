/** Opens a window's pane in a session, and makes the session with it where there is none: no empty first window is left. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Duration } from '../core/time.ts';
import { type Tmux, type TmuxAnswer, TmuxError } from './command.ts';

export interface Opening {
  readonly session: string;
  readonly window: string;
  readonly cwd: string;
  /** At least two words: tmux would hand a single one to a shell. */
  readonly argv: readonly [string, string, ...string[]];
  /** Starts the process that may become a new server. */
  bornFree<T>(spawn: () => T): T;
}

export interface Opened {
  readonly serverPid: number;
  readonly windowId: string;
  readonly paneId: string;
  readonly panePid: number;
  readonly socketPath: string;
}

/** The socket's path is last: it alone may hold a blank. */
const TOLD = '#{pid} #{window_id} #{pane_id} #{pane_pid} #{socket_path}';
/** Agents draw for the terminal they find; without a client tmux would give them 80 by 24. */
const COLUMNS = 200;
const ROWS = 50;
/** Others may make or end the session, and with it the server, between our look and our deed; nobody does so for ever. */
const PATIENCE: Duration = 10_000;
/** Not in step with the others. */
const LOOK_AGAIN_WITHIN: Duration = 50;

export async function openPane(tmux: Tmux, opening: Opening): Promise<Opened> {
  const deadline = performance.now() + PATIENCE;
  for (;;) {
    const exists = (await tmux.ask(['has-session', '-t', `=${opening.session}`])).ok;
    const ask = (args: string[]): Promise<TmuxAnswer> => tmux.ask(args, opening.cwd);
    const { ok, stdout, stderr } = await (exists
      ? ask(newWindow(opening))
      : opening.bornFree(() => ask(newSession(opening))));
    // It may be made and have ended again before the rest of the command came to its turn.
    if (ok || stdout !== '') return parse(stdout);
    if (!isAboutTheSession(stderr) || performance.now() > deadline) throw new TmuxError(stderr);
    await sleep(Math.random() * LOOK_AGAIN_WITHIN);
  }
}

/** Why tmux would take another name for it, or none at all; null for a name that it takes. */
export function sessionNameProblem(name: string): string | null {
  if (name === '') return 'it is empty';
  if (/[.:#]|\p{Cc}/u.test(name)) return 'tmux names hold no ".", ":", "#" or control characters';
  return null;
}

/** Detached: what a person looks at in that session stays in front. */
function newWindow({ session, window, argv }: Opening): string[] {
  return ['new-window', '-d', '-P', '-F', TOLD, '-t', `=${session}:`, '-n', window, ...argv];
}

function newSession({ session, window, argv }: Opening): string[] {
  const size = ['-x', String(COLUMNS), '-y', String(ROWS)];
  const create = ['new-session', '-d', '-P', '-F', TOLD, ...size, '-s', session, '-n', window, ...argv];
  return [...create, ';', 'set-option', '-t', `=${session}:`, 'default-size', `${COLUMNS}x${ROWS}`];
}

function isAboutTheSession(refusal: string): boolean {
  if (refusal.includes('File name too long')) return false;
  return /duplicate session|can't find session|no server running|error connecting|lost server|server exited|no current target/.test(
    refusal,
  );
}

function parse(told: string): Opened {
  const [pid, windowId = '', paneId = '', panePid, ...path] = told.trim().split(' ');
  return { serverPid: Number(pid), windowId, paneId, panePid: Number(panePid), socketPath: path.join(' ') };
}
