/** Whether a worker runs, and its end. Only what is proved to be the worker's own is ever asked, typed into or ended. */
import { existsSync } from 'node:fs';
import { RalphError } from '../../../core/error.ts';
import { isRunning } from '../../../process/identity/identity.ts';
import { TmuxError } from '../../../tmux/command.ts';
import { type Control, openControl } from '../../../tmux/control.ts';
import { isAlive, killWindow, openedPane, type Pane, serverIsAlive } from '../../../tmux/window.ts';
import { readMadeWindow, readWindow, type Window } from '../../../tmux/window-file.ts';
import { logPath, processFolder, sandboxFolder, windowFolder } from './home.ts';
import { endProcess, readProcess } from './process-worker.ts';
import type { WorkerRecord } from './record.ts';
import { refused, type Swarm } from './swarm.ts';

export function isWorkerAlive({ home, place }: Swarm, { name, tmux }: WorkerRecord): boolean {
  if (tmux === null) {
    const leader = readProcess(processFolder(home, name));
    return leader !== null && isRunning(leader, place);
  }
  const window = windowOf(home, name);
  return window !== null && isAlive(window, place);
}

/** Ends the worker, if anything of it is left. */
export async function endWorker({ home, env, place }: Swarm, name: string): Promise<void> {
  const window = readWindow(windowFolder(home, name));
  if (window !== null) await killWindow(window, env, place);
  await endProcess(processFolder(home, name));
  // Most have none, and need not load what knows about them.
  if (existsSync(sandboxFolder(home, name))) (await import('./sandbox.ts')).forgetSandbox(home, name);
}

/** The pane of a worker that must be a running tmux worker. */
export async function paneOf(swarm: Swarm, record: WorkerRecord): Promise<Pane> {
  const { home, env, place } = swarm;
  if (record.tmux === null) throw refused(`worker '${record.name}' is not a tmux worker`);
  const window = windowOf(home, record.name);
  if (window === null || !isAlive(window, place)) {
    throw refused(`worker '${record.name}' is not running`, 1, whyNotRunning(swarm, record, window));
  }
  try {
    return await openedPane(window, env, place);
  } catch (error) {
    if (error instanceof TmuxError) throw refused(`worker '${record.name}' is not running`, 1, error.message);
    throw error;
  }
}

/** The same where all workers are asked: null for those that have none to show. */
export async function paneIfRunning(swarm: Swarm, record: WorkerRecord): Promise<Pane | null> {
  if (record.tmux === null || !isWorkerAlive(swarm, record)) return null;
  try {
    return await paneOf(swarm, record);
  } catch (error) {
    // It has ended since the look.
    if (error instanceof RalphError) return null;
    throw error;
  }
}

/** One connection to the worker's tmux server, for more than one look. */
export function controlOf({ env }: Swarm, { tmux }: WorkerRecord): Control {
  return openControl({ socket: tmux?.socket ?? null, session: tmux?.session ?? '', env });
}

export function windowOf(home: Swarm['home'], name: string): Window | null {
  return readMadeWindow(windowFolder(home, name));
}

function whyNotRunning({ home, place }: Swarm, { name }: WorkerRecord, window: Window | null): string | undefined {
  if (window === null || serverIsAlive(window, place)) return undefined;
  const log = logPath(home, name, 'tmux');
  return `The tmux server it ran in has ended. Its output is in ${log}; \`swarm respawn ${name}\` starts it again.`;
}

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
