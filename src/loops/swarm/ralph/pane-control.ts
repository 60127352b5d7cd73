/**
 * The supervisor's connection to tmux, for the time of one agent in one pane. Panes of a new server have the numbers of
 * the old one's: what was meant for an agent that is gone must not be typed into whoever has its number now.
 */
import type { MachineIdentity } from '../../../process/identity/identity.ts';
import { type Control, TmuxGone } from '../../../tmux/control.ts';
import { isAlive } from '../../../tmux/window.ts';
import type { Window } from '../../../tmux/window-file.ts';

export function controlWhile(control: Control, window: Window, place: MachineIdentity, over: AbortSignal): Control {
  const gone = (): TmuxGone | null =>
    over.aborted || !isAlive(window, place) ? new TmuxGone('lost', 'the agent has ended') : null;
  return {
    send(command) {
      const error = gone();
      return error === null ? control.send(command) : Promise.reject(error);
    },
    sendAll(commands) {
      const error = gone();
      return error === null ? control.sendAll(commands) : Promise.resolve(commands.map(() => ({ ok: false, error })));
    },
    close() {
      // The connection is the supervisor's, who goes on with it.
    },
  };
}
