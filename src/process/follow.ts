/** Follows growing files: unlike a pipe, a file survives its reader, and a daemon that keeps it open delays nothing. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { setImmediate as othersTurn } from 'node:timers/promises';
import { type FolderWatch, watchFolder } from './folder-watch.ts';

export interface Followed {
  readonly name: string;
  /** If the file is open already; closed with the follower. */
  readonly fd?: number | undefined;
  /** Bytes before this offset are skipped. */
  readonly from?: number;
  /** Must be done with the chunk when it returns: the memory is reused. */
  onChunk(chunk: Buffer): void;
}

/**
 * Null if more may come now, or a promise to wait for: a slow reader of our output must not fill our memory. It never
 * rejects: a reader that has gone away is not waited for.
 */
export type Readiness = () => Promise<void> | null;

export const alwaysReady: Readiness = () => null;

export type Follower = ReturnType<typeof follow>;

/** Shared by all followers: a chunk is processed before anything else is read. */
const buffer = Buffer.allocUnsafe(256 * 1024);
/** How much is read in one go before other events get their turn. */
const TURN_BYTES = 4 * 1024 * 1024;

/** `shared`: a watch of the folder that others use, too; it is not closed with the follower. */
export function follow(folder: string, files: readonly Followed[], ready: Readiness, shared?: FolderWatch) {
  const sources = files.map((file) => ({
    ...file,
    fd: followable(file.fd ?? openSync(join(folder, file.name), constants.O_RDONLY | constants.O_NONBLOCK)),
    position: file.from ?? 0,
    pending: false,
  }));
  type Source = (typeof sources)[number];
  let closed = false;

  /** True at the end of the file. A short read counts as the end if the watch will report more. */
  const read = (source: Source, atMost: number, isWatched: boolean): boolean => {
    for (let total = 0; total < atMost; ) {
      const bytes = readSync(source.fd, buffer, 0, buffer.length, source.position);
      if (bytes === 0) {
        // A program that opens /dev/stdout again truncates the file: its next output is at the beginning.
        if (source.position === 0 || fstatSync(source.fd).size >= source.position) return true;
        source.position = 0;
        continue;
      }
      source.position += bytes;
      source.onChunk(buffer.subarray(0, bytes));
      if (isWatched && bytes < buffer.length) return true;
      total += bytes;
    }
    return false;
  };
  const turn = (source: Source): void => {
    const wait = ready();
    if (wait !== null) {
      void wait.then(() => turn(source));
      return;
    }
    source.pending = false;
    if (!closed && !read(source, TURN_BYTES, true)) later(source);
  };
  const later = (source: Source): void => {
    if (source.pending) return;
    source.pending = true;
    setImmediate(turn, source);
  };
  const watch = shared ?? watchFolder(folder);
  const stops = sources.map((source) => watch.on(source.name, () => later(source)));
  // For what was written before the watch began.
  for (const source of sources) later(source);

  return {
    /** Reads everything that is there now. */
    async drain(): Promise<void> {
      for (const source of sources) while (!read(source, TURN_BYTES, false)) await (ready() ?? othersTurn());
    },
    close(): void {
      closed = true;
      for (const stop of stops) stop();
      if (shared === undefined) watch.close();
      for (const source of sources) closeSync(source.fd);
    },
  };
}

/** The writing program may have put a pipe or a folder in place of its file: nothing is read from that. */
function followable(fd: number): number {
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  return openSync(devNull, 'r');
}
