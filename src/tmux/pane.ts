/** Looks at the pane of a window that swarm made, and types into it. Always by the pane's id, and only when it is proved ours. */
import type { MachineIdentity } from '../process/identity/identity.ts';
import { literal, type Tmux, TmuxError, tmuxAt } from './command.ts';
import { isProved } from './window.ts';
import type { Window } from './window-file.ts';

export interface Pane {
  readonly tmux: Tmux;
  /** What the screen shows; with `history`, that many lines before it too. */
  capture(history?: number): Promise<string>;
  /** Keys by tmux's names, such as `C-c` or `Enter`. */
  press(...keys: string[]): Promise<void>;
  /** Text as it is. */
  type(text: string): Promise<void>;
}

/** tmux takes no message of 16 KB or more; a character is at most four bytes. */
const MOST_AT_ONCE = 3000;

/** Throws when the window is gone, or is not the one that was made. */
export async function openedPane(window: Window, env: NodeJS.ProcessEnv, place: MachineIdentity): Promise<Pane> {
  const tmux = tmuxAt(window.address, env);
  if (!(await isProved(window, tmux, place))) throw new TmuxError('its tmux window is gone');
  const at = ['-t', window.paneId];
  return {
    tmux,
    capture: (history = 0) => tmux.tell(['capture-pane', '-p', ...at, ...(history > 0 ? ['-S', `-${history}`] : [])]),
    press: async (...keys) => void (await tmux.tell(['send-keys', ...at, ...keys])),
    async type(text) {
      const characters = [...text];
      for (let from = 0; from < characters.length; from += MOST_AT_ONCE) {
        const part = characters.slice(from, from + MOST_AT_ONCE).join('');
        await tmux.tell(['send-keys', ...at, '-l', '--', literal(part)]);
      }
    },
  };
}
