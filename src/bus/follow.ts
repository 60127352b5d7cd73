/** Tells of messages as they come. The file may be rotated away, emptied, removed or not be there yet. */
import { closeSync, fstatSync, statSync } from 'node:fs';
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
  /** The file that has, or had, the bus's name, and how far it was read. */
  const bus: { fd: number | null; at: number } = { fd: null, at: from };

  const deliver = async (fd: number): Promise<void> => {
    for (let isLast = false; !isLast && !signal.aborted; ) {
      const chunk = explained(path, () => readChunk(fd, bus.at));
      for (const message of chunk.messages) {
        if (signal.aborted) return;
        if (types === undefined || types.includes(message.type)) await onMessage(message);
      }
      bus.at = chunk.end;
      isLast = chunk.isLast;
      if (!isLast) await othersTurn();
    }
  };
  const look = async (): Promise<void> => {
    while (!signal.aborted) {
      bus.fd ??= explained(path, () => nullOn(MISSING, () => openForReading(path)));
      if (bus.fd === null) return;
      const { fd } = bus;
      const { ino, dev, size } = fstatSync(fd);
      // Emptied, or another: what is written now stands at the beginning.
      if (size < bus.at) bus.at = 0;
      await deliver(fd);
      const named = nullOn(MISSING, () => statSync(path));
      if (named !== null && named.ino === ino && named.dev === dev) {
        if (named.size >= bus.at) return;
        bus.at = 0;
        continue;
      }
      // The name has gone to another file, or to none; what the old one got at last is read first.
      await deliver(fd);
      closeSync(fd);
      Object.assign(bus, { fd: null, at: 0 });
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
    if (bus.fd !== null) closeSync(bus.fd);
  }
}
