/** Shows what a run writes as it comes, until the run has ended. */
import { closeSync, openSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { RalphError } from '../../core/error.ts';
import type { Duration } from '../../core/time.ts';
import { runFile } from '../../loops/tasks/folder/task-folder.ts';
import { isRunActive } from '../../loops/tasks/runs/liveness.ts';
import { readRunInfo } from '../../loops/tasks/runs/run-info.ts';
import { follow, openFollowing } from '../../process/follow.ts';
import { beginningOf } from './last-lines.ts';
import { shownBytes } from './shown-bytes.ts';
import { type Terminal, untilInterrupted } from './terminal.ts';

/** A process that was killed with its supervisor changes no file. */
const LOOK_EVERY: Duration = 250;

/** Until the run has ended, the reader has gone, or Ctrl-C. */
export async function followRun(run: string, path: string, tail: number, terminal: Terminal): Promise<void> {
  const stop = untilInterrupted();
  const following = openFollowing(run);
  const goesOn = (): boolean => !stop.aborted && !terminal.isDeserted() && isActive(run);
  try {
    while (!isFile(path) && goesOn()) await change(following.watch, basename(path), stop);
    if (!isFile(path)) {
      if (stop.aborted) return;
      throw new RalphError('NOT_FOUND', `output file not found: ${path}`, { exitCode: 1 });
    }
    const shown = shownBytes(terminal);
    const file = { name: basename(path), from: offsetIn(path, tail), onChunk: shown.push };
    const follower = follow(run, [file], following, shown.ready);
    while (goesOn()) await change(following.watch, basename(runFile.info(run)), stop);
    if (!stop.aborted) await follower.drain();
    follower.close();
    await shown.end();
  } finally {
    following.watch.close();
  }
}

/** Resolves when the file may have changed, or it is time to look anyway. */
function change(
  watch: { on(name: string, changed: () => void): () => void },
  name: string,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      off();
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const off = watch.on(name, done);
    const timer = setTimeout(done, LOOK_EVERY);
    signal.addEventListener('abort', done);
  });
}

/** A run-info that cannot be read says nothing of an end to wait for. */
export function isActive(run: string): boolean {
  try {
    const info = readRunInfo(runFile.info(run));
    return info !== null && isRunActive(info);
  } catch (error) {
    if (error instanceof RalphError) return false;
    throw error;
  }
}

function offsetIn(path: string, tail: number): number {
  const fd = openSync(path, 'r');
  try {
    return beginningOf(fd, tail);
  } finally {
    closeSync(fd);
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
