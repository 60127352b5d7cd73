/** Types into the panes of workers. */
import type { Pane } from '../../../tmux/pane.ts';
import { paneIfRunning, paneOf } from './life.ts';
import type { WorkerRecord } from './record.ts';
import { findWorker, readWorkers } from './registry.ts';
import { notFound, type Swarm } from './swarm.ts';

/** `raw`: without closing what is open and clearing what is typed, which agents with menus and drafts need. */
export async function sendText(
  pane: Pane,
  text: string,
  { raw, enter }: { readonly raw: boolean; readonly enter: boolean },
): Promise<void> {
  if (!raw) {
    await pane.press('Escape');
    await pane.press('C-u');
  }
  await pane.type(text);
  if (enter) await pane.press('Enter');
}

export async function sendToOne(swarm: Swarm, name: string, deed: (pane: Pane) => Promise<void>): Promise<void> {
  const record = findWorker(swarm, name);
  if (record === undefined) throw notFound(name);
  await deed(await paneOf(swarm, record));
}

/** All that run in a window; the others are passed over in silence. */
export async function sendToAll(
  swarm: Swarm,
  deed: (pane: Pane, record: WorkerRecord) => Promise<void>,
): Promise<void> {
  for (const record of readWorkers(swarm)) {
    const pane = await paneIfRunning(swarm, record);
    if (pane !== null) await deed(pane, record);
  }
}
