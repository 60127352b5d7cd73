/**
 * Waits for the end of a run that somebody else supervises, with its output on the way for who wants it. Whether its
 * processes live is not ours to say: we may be contained where they cannot be seen. Who started them reports their end.
 */
import { closeSync, existsSync, openSync, readSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { watchFolder } from '../../../process/folder-watch.ts';
import { runFile, STDOUT_NAME } from '../folder/task-folder.ts';
import { readRunInfo } from './run-info.ts';

const LOOK_EVERY_MS = 250;

export async function watchRun(folder: string, onOutput: ((chunk: Buffer) => void) | null): Promise<void> {
  const watch = watchFolder(folder);
  let wake: () => void = nothing;
  for (const name of ['run-info.yaml', STDOUT_NAME]) watch.on(name, () => wake());
  const output = onOutput === null ? null : tail(runFile.stdout(folder), onOutput);
  try {
    for (;;) {
      output?.read();
      const info = readRunInfo(runFile.info(folder));
      if (info === null || info.endTime !== null) break;
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await Promise.race([changed, sleep(LOOK_EVERY_MS)]);
    }
    output?.read();
  } finally {
    output?.close();
    watch.close();
  }
}

function tail(path: string, onChunk: (chunk: Buffer) => void): { read(): void; close(): void } {
  const buffer = Buffer.alloc(64 * 1024);
  let fd: number | null = null;
  let position = 0;
  return {
    read() {
      if (fd === null && existsSync(path)) fd = openSync(path, 'r');
      if (fd === null) return;
      for (let bytes = 1; bytes > 0; position += bytes) {
        bytes = readSync(fd, buffer, 0, buffer.length, position);
        if (bytes > 0) onChunk(Buffer.from(buffer.subarray(0, bytes)));
      }
    },
    close: () => {
      if (fd !== null) closeSync(fd);
    },
  };
}

function nothing(): void {
  // Nobody waits yet.
}
