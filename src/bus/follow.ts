/** Reports messages as they come. The file can be rotated, emptied or removed, or not exist yet. */
import { closeSync, fstatSync, statSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { setImmediate as othersTurn } from 'node:timers/promises';
import type { Duration } from '../core/time.ts';
import { nullOn } from '../process/files.ts';
import { watchFolder } from '../process/folder-watch.ts';
import type { Message } from './message.ts';
import { explained, MISSING, openForReading, readChunk } from './read.ts';

export interface FollowOptions {
  /** An offset that a read returned; by default, the file's beginning. */
  readonly from?: number;
  readonly signal: AbortSignal;
  readonly types?: readonly string[];
  readonly pollMs?: Duration;
}

const POLL_MS = 500;

/** Resolves when the signal is aborted. If the callback returns a promise, the next message waits for it. */
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
      // It was emptied, or is another file: new content is at the beginning.
      if (size < bus.at) bus.at = 0;
      await deliver(fd);
      const named = nullOn(MISSING, () => statSync(path));
      if (named !== null && named.ino === ino && named.dev === dev) {
        if (named.size >= bus.at) return;
        bus.at = 0;
        continue;
      }
      // The name belongs to another file now, or to none; first read what the old file still got.
      await deliver(fd);
      closeSync(fd);
      Object.assign(bus, { fd: null, at: 0 });
    }
  };
  try {
    while (!signal.aborted) {
      // Created before the look, so that changes during it count.
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
