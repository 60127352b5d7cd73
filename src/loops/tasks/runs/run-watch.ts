/** Waits for the end of a run that another process supervises, with what it writes on the way. */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { watchFolder } from '../../../process/folder-watch.ts';
import { alwaysReady, type Follower, follow, type Readiness } from '../../../process/follow.ts';

export interface RunWatch {
  /** Asked whenever the report may have changed. */
  readonly goesOn: () => boolean;
  readonly signal?: AbortSignal;
  /** A file of the run to read as it grows, from the moment it is there. */
  readonly file?: {
    readonly name: string;
    readonly from?: () => number;
    readonly onChunk: (chunk: Buffer) => unknown;
    readonly ready?: Readiness;
  };
}

/** A process that was killed with its supervisor changes no file. */
const LOOK_EVERY_MS = 250;

export async function watchRun(run: string, { goesOn, signal, file }: RunWatch): Promise<void> {
  const watch = watchFolder(run);
  const isThere = (): boolean =>
    file !== undefined && statSync(join(run, file.name), { throwIfNoEntry: false })?.isFile() === true;
  const mayGoOn = (): boolean => signal?.aborted !== true && goesOn();
  /** Resolves when the file may have changed, or it is time to look anyway. */
  const change = (name: string): Promise<void> =>
    new Promise((resolve) => {
      const done = (): void => {
        off();
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const off = watch.on(name, done);
      const timer = setTimeout(done, LOOK_EVERY_MS);
      signal?.addEventListener('abort', done);
    });
  let follower: Follower | null = null;
  try {
    if (file !== undefined) {
      while (!isThere() && mayGoOn()) await change(file.name);
      if (isThere()) {
        const followed = { name: file.name, from: file.from?.() ?? 0, onChunk: file.onChunk };
        follower = follow(run, [followed], file.ready ?? alwaysReady);
      }
    }
    while (mayGoOn()) await change('run-info.yaml');
    if (signal?.aborted !== true) await follower?.drain();
  } finally {
    follower?.close();
    watch.close();
  }
}
