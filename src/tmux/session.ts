/** Opens a window's pane in a session, and makes the session with it where there is none: no empty first window is left. */
import { COLUMNS, ROWS, type Tmux, TmuxError } from './command.ts';

export interface Opening {
  readonly session: string;
  readonly window: string;
  readonly cwd: string;
  /** At least two words: tmux would hand a single one to a shell. */
  readonly argv: readonly string[];
  /** Starts the process that may become a new server. */
  bornFree<T>(spawn: () => T): T;
}

/** The socket's path is last: it alone may hold a blank. */
const PRINTED = '#{pid} #{window_id} #{pane_id} #{pane_pid} #{socket_path}';
const SIZE = ['-x', String(COLUMNS), '-y', String(ROWS)];
/** The session, and with it the server, was made or ended by others between our look and our command. */
const PASSING =
  /duplicate session|can't find session|no server running|error connecting|lost server|server exited|no current target/;

/** Tmux's words where another attempt may succeed. */
export async function openPane(
  tmux: Tmux,
  opening: Opening,
): Promise<ReturnType<typeof parse> | { readonly refusal: string }> {
  const { session, window, cwd, argv } = opening;
  const made = ['-d', '-P', '-F', PRINTED];
  const exists = (await tmux.ask(['has-session', '-t', `=${session}`])).ok;
  // Detached: what a person looks at in that session stays in front.
  const newWindow = ['new-window', ...made, '-t', `=${session}:`, '-n', window, ...argv];
  const newSession = ['new-session', ...made, ...SIZE, '-s', session, '-n', window, ...argv];
  const setSize = [';', 'set-option', '-t', `=${session}:`, 'default-size', `${COLUMNS}x${ROWS}`];
  const { ok, stdout, stderr } = await (exists
    ? tmux.ask(newWindow, cwd)
    : opening.bornFree(() => tmux.ask([...newSession, ...setSize], cwd)));
  // It may be made and have ended again before the rest of the command came to its turn.
  if (ok || stdout !== '') return parse(stdout);
  if (PASSING.test(stderr) && !stderr.includes('File name too long')) return { refusal: stderr };
  throw new TmuxError(stderr);
}

/** Why tmux would take another name for it, or none at all; null for a name that it takes. */
export function sessionNameProblem(name: string): string | null {
  if (name === '') return 'it is empty';
  if (/[.:#]|\p{Cc}/u.test(name)) return 'tmux names hold no ".", ":", "#" or control characters';
  return null;
}

function parse(printed: string) {
  const [pid, windowId = '', paneId = '', panePid, ...path] = printed.trim().split(' ');
  return { serverPid: Number(pid), windowId, paneId, panePid: Number(panePid), socketPath: path.join(' ') };
}
