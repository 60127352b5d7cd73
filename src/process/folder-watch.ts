/** Reports changes to files in a folder: one watch for all the runs that come and go in it. */
import { type FSWatcher, watch } from 'node:fs';

/** How often to poll if the system cannot report changes (no watches left). */
const POLL_EVERY_MS = 100;
/**
 * macOS starts a watch some time after it was requested, and whenever any watch is opened or closed, all others lose
 * the events of the last moments (nodejs/node#52601, libuv's fsevents.c): there we poll as well.
 */
const LOOK_ANYWAY_EVERY_MS = 250;

export type FolderWatch = ReturnType<typeof watchFolder>;

export function watchFolder(folder: string) {
  const listeners = new Map<string, Set<() => void>>();
  const forAny = new Set<() => void>();
  const tell = (name: string | null): void => {
    for (const changed of forAny) changed();
    const heard = name === null ? [...listeners.values()] : [listeners.get(name) ?? []];
    for (const set of heard) for (const changed of set) changed();
  };
  return {
    /** Calls back when the file may have changed, until the returned function is called. */
    on(name: string, changed: () => void): () => void {
      const set = listeners.get(name) ?? new Set();
      listeners.set(name, set.add(changed));
      return () => {
        set.delete(changed);
        if (set.size === 0 && listeners.get(name) === set) listeners.delete(name);
      };
    },
    /** The same for every file of the folder, including those that come and go. */
    onAny(changed: () => void): () => void {
      forAny.add(changed);
      return () => void forAny.delete(changed);
    },
    close: beginWatching(folder, tell),
  };
}

function beginWatching(folder: string, tell: (name: string | null) => void): () => void {
  let watcher: FSWatcher;
  try {
    watcher = watch(folder, (_event, name) => tell(name));
  } catch {
    // No watches left on this machine (ENOSPC, EMFILE): polling is slower, not wrong.
    const timer = setInterval(() => tell(null), POLL_EVERY_MS);
    return () => clearInterval(timer);
  }
  watcher.on('error', () => tell(null));
  const timer = process.platform === 'linux' ? undefined : setInterval(() => tell(null), LOOK_ANYWAY_EVERY_MS);
  return () => {
    clearInterval(timer);
    watcher.close();
  };
}
