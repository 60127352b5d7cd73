/** Tells of messages as they come. The file may be rotated away, emptied, removed or not be there yet. */
import { closeSync, fstatSync, type Stats, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Duration } from '../core/time.ts';
import { nullOn } from '../process/files.ts';
import { watchFolder } from '../process/folder-watch.ts';
import type { Message } from './message.ts';
import { explained, MISSING, openForReading, readChunk } from './read.ts';

export interface FollowOptions {
  /** An offset that a read gave; the file's beginning unless given. */
  readonly from?: number;
  readonly signal: AbortSignal;
  readonly types?: readonly string[];
  readonly pollMs?: Duration;
}

/** The file that has, or had, the bus's name. */
interface Open {
  readonly fd: number;
  readonly stat: Stats;
  at: number;
}

const POLL_MS = 500;

/** Resolves when the signal is given. A callback that returns a promise is waited for before the next message. */
export async function followMessages(
  path: string,
  { from = 0, signal, types, pollMs = POLL_MS }: FollowOptions,
  onMessage: (message: Message) => void | Promise<void>,
): Promise<void> {
  let wake = (): void => undefined;
  const ring = (): void => wake();
  const watch = watchFolder(dirname(path));
  watch.on(basename(path), ring);
  const timer = setInterval(ring, pollMs);
  signal.addEventListener('abort', ring);
  const current: { file: Open | null; from: number } = { file: null, from };

  const deliver = async (file: Open): Promise<void> => {
    for (let isLast = false; !isLast && !signal.aborted; ) {
      const chunk = explained(path, () => readChunk(file.fd, file.at));
      for (const message of chunk.messages) {
        if (signal.aborted) return;
        if (types === undefined || types.includes(message.type)) await onMessage(message);
      }
      file.at = chunk.end;
      isLast = chunk.isLast;
      if (!isLast) await othersTurn();
    }
  };
  const look = async (): Promise<void> => {
    while (!signal.aborted) {
      if (current.file === null) {
        const fd = explained(path, () => nullOn(MISSING, () => openForReading(path)));
        if (fd === null) return;
        const stat = fstatSync(fd);
        current.file = { fd, stat, at: current.from <= stat.size ? current.from : 0 };
        current.from = 0;
      }
      const open = current.file;
      await deliver(open);
      const named = nullOn(MISSING, () => statSync(path));
      if (named !== null && named.ino === open.stat.ino && named.dev === open.stat.dev) {
        if (named.size >= open.at) return;
        // Emptied: what is written now stands at the beginning.
        open.at = 0;
        continue;
      }
      // The name has gone to another file, or to none; what the old one got at last is read first.
      await deliver(open);
      closeSync(open.fd);
      current.file = null;
    }
  };
  try {
    while (!signal.aborted) {
      // Made before the look: what changes meanwhile counts.
      const changed = new Promise<void>((resolve) => (wake = resolve));
      await look();
      if (!signal.aborted) await changed;
    }
  } finally {
    clearInterval(timer);
    signal.removeEventListener('abort', ring);
    watch.close();
    if (current.file !== null) closeSync(current.file.fd);
  }
}
