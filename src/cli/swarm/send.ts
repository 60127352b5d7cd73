/** `swarm send`, `swarm interrupt` and `swarm eof`: typing into workers. */
import { paneIfRunning, paneOf, sendText } from '../../loops/swarm/workers/life.ts';
import { readWorkers, workerNamed } from '../../loops/swarm/workers/registry.ts';
import { refused, type Swarm } from '../../loops/swarm/workers/swarm.ts';
import type { Pane } from '../../tmux/window.ts';

export async function sendCommand(
  swarm: Swarm,
  words: readonly string[],
  { enter, raw = false, all = false }: { enter: boolean; raw?: boolean; all?: boolean },
): Promise<void> {
  const text = words.at(-1) ?? '';
  if (words.length > (all ? 1 : 2)) throw refused('too many arguments: quote the text', 2);
  if (!all && words.length < 2) throw refused('--name required when not using --all');
  await inPanes(swarm, all ? null : (words[0] ?? ''), 'sent to', (pane) => sendText(pane, text, { raw, enter }));
}

export async function interruptCommand(
  swarm: Swarm,
  name: string | undefined,
  { all = false }: { all?: boolean },
): Promise<void> {
  if (!all && name === undefined) throw refused('worker name required when not using --all');
  await inPanes(swarm, all ? null : (name ?? ''), 'interrupted', (pane) => pane.press('C-c'));
}

export function eofCommand(swarm: Swarm, name: string): Promise<void> {
  return inPanes(swarm, name, 'sent eof to', (pane) => pane.press('C-d'));
}

/** In the pane of one worker, or of all that run in a window; the others are passed over in silence. */
async function inPanes(
  swarm: Swarm,
  name: string | null,
  done: string,
  type: (pane: Pane) => Promise<void>,
): Promise<void> {
  for (const record of name === null ? readWorkers(swarm) : [workerNamed(swarm, name)]) {
    const pane = await (name === null ? paneIfRunning(swarm, record) : paneOf(swarm, record));
    if (pane === null) continue;
    await type(pane);
    swarm.say(`${done} ${record.name}`);
  }
}
