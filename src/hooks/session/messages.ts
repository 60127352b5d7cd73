/** How the host of a loop can be told things. A task that is too long to be told lies where the agent may read it. */
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { SessionEvent, SessionHost } from '../../agents/session/host.ts';
import { isLong, type Telling } from '../../loops/session/messages.ts';
import { makeFolders, writeFile } from '../../process/files.ts';
import { taskFile } from './store.ts';

export function tellingFor(host: SessionHost, event: SessionEvent, folder: string, task: string): Telling {
  return tellingIn(isLong(task, host) ? (host.readableFolder?.(event) ?? null) : null, host, folder, task);
}

/** `readable`: a folder that the agent may read; null where it may read any, or the task is not too long. */
export function tellingIn(
  readable: string | null,
  { longestText, unit }: Omit<Telling, 'taskFile'>,
  folder: string,
  task: string,
): Telling {
  const file = readable === null ? null : copyIn(readable, `${basename(folder)}-task.txt`, task);
  return { longestText, unit, taskFile: file ?? taskFile(folder) };
}

function copyIn(folder: string, name: string, task: string): string | null {
  const path = join(folder, name);
  try {
    makeFolders(folder, 0o700);
    if (!existsSync(path)) writeFile(path, task, { mode: 0o600 });
    return path;
  } catch {
    // Then there is the loop's own, for which the agent may have to ask a person.
    return null;
  }
}
