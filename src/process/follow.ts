/**
 * Follows files that another process appends to. A file, unlike a pipe, survives the reader, and a daemon that keeps
 * it open delays nobody: the end of a run is its exit, not the end of the file.
 */
import { closeSync, type FSWatcher, fstatSync, openSync, readSync, watch } from 'node:fs';
import { join } from 'node:path';

export interface Followed {
  readonly name: string;
  /** Must be done with the chunk when it returns: the memory is used again. */
  onChunk(chunk: Buffer): void;
}

export interface Follower {
  /** Reads everything that is there now. */
  drain(): void;
  close(): void;
}

const CHUNK_BYTES = 256 * 1024;
/** So much is read in one go before other events get their turn. */
const TURN_BYTES = 4 * 1024 * 1024;
/** Where the system cannot tell of changes (no watches left), look so often. */
const POLL_EVERY_MS = 100;

/** `buffer` is where chunks are read into; whoever follows one run after another brings the same one each time. */
export function follow(folder: string, files: readonly Followed[], buffer = followBuffer()): Follower {
  const sources = files.map((file) => ({
    ...file,
    fd: openSync(join(folder, file.name), 'r'),
    position: 0,
    pending: false,
  }));
  let closed = false;

  const read = (source: (typeof sources)[number], atMost: number): boolean => {
    for (let total = 0; total < atMost; ) {
      const bytes = readSync(source.fd, buffer, 0, buffer.length, source.position);
      if (bytes === 0) {
        // A program that opens /dev/stdout anew empties the file: what it writes next stands at the beginning.
        if (fstatSync(source.fd).size >= source.position) return true;
        source.position = 0;
        continue;
      }
      source.position += bytes;
      source.onChunk(buffer.subarray(0, bytes));
      total += bytes;
    }
    return false;
  };
  const turn = (source: (typeof sources)[number]): void => {
    source.pending = false;
    if (!closed && !read(source, TURN_BYTES)) later(source);
  };
  const later = (source: (typeof sources)[number]): void => {
    if (source.pending) return;
    source.pending = true;
    setImmediate(turn, source);
  };
  const changed = (name: string | null): void => {
    for (const source of sources) if (name === null || name === source.name) later(source);
  };
  const stopWatching = watchFolder(folder, changed);
  // What was written before the watch began.
  changed(null);

  return {
    drain: () => {
      for (const source of sources) while (!read(source, TURN_BYTES));
    },
    close: () => {
      closed = true;
      stopWatching();
      for (const source of sources) closeSync(source.fd);
    },
  };
}

export function followBuffer(): Buffer {
  return Buffer.allocUnsafe(CHUNK_BYTES);
}

/** Calls back with the name of a changed file, or null when it is not known which. */
function watchFolder(folder: string, changed: (name: string | null) => void): () => void {
  let watcher: FSWatcher;
  try {
    watcher = watch(folder, (_event, name) => changed(name));
  } catch {
    // No watches left on this machine (ENOSPC, EMFILE): looking now and then is slower, not wrong.
    const timer = setInterval(() => changed(null), POLL_EVERY_MS);
    return () => clearInterval(timer);
  }
  watcher.on('error', () => changed(null));
  return () => watcher.close();
}
