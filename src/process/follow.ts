/** Follows files that grow: unlike a pipe, a file survives its reader, and a daemon that holds it delays nothing. */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { setImmediate as othersTurn } from 'node:timers/promises';
import { type FolderWatch, watchFolder } from './folder-watch.ts';

export interface Followed {
  readonly name: string;
  /** Where it is open already; closed with the follower. */
  readonly fd?: number | undefined;
  /** Bytes before it are passed over. */
  readonly from?: number;
  /** Must be done with the chunk when it returns: the memory is used again. */
  onChunk(chunk: Buffer): void;
}

/** Null when more may come now; else what to wait for, so that a slow reader of our output does not fill our memory. */
export type Readiness = () => Promise<void> | null;

export const alwaysReady: Readiness = () => null;

export type Follower = ReturnType<typeof follow>;

/** One for all: a chunk is done with before anything else is read. */
const buffer = Buffer.allocUnsafe(256 * 1024);
/** So much is read in one go before other events get their turn. */
const TURN_BYTES = 4 * 1024 * 1024;

/** `shared`: a watch of the folder that others use as well, and that goes on. */
export function follow(folder: string, files: readonly Followed[], ready: Readiness, shared?: FolderWatch) {
  const sources = files.map((file) => ({
    ...file,
    fd: followable(file.fd ?? openSync(join(folder, file.name), constants.O_RDONLY | constants.O_NONBLOCK)),
    position: file.from ?? 0,
    pending: false,
  }));
  type Source = (typeof sources)[number];
  let closed = false;

  /** True at the end of the file. Less than was asked for is the end, too, where the watch will tell of more. */
  const read = (source: Source, atMost: number, isWatched: boolean): boolean => {
    for (let total = 0; total < atMost; ) {
      const bytes = readSync(source.fd, buffer, 0, buffer.length, source.position);
      if (bytes === 0) {
        // A program that opens /dev/stdout again empties the file: what it writes next stands at the beginning.
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
  // What was written before the watch began.
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

/** Who writes the file may have put a pipe or a folder in its place: of that nothing is read, and it is not waited for. */
function followable(fd: number): number {
  if (fstatSync(fd).isFile()) return fd;
  closeSync(fd);
  return openSync(devNull, 'r');
}
