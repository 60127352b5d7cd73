/**
 * Waits for the end of a run that another process supervises, with its output on the way if wanted. Whether its processes
 * live is not ours to say: we may be contained where they cannot be seen. Their supervisor reports their end.
 */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { alwaysReady, type Follower, follow, openFollowing } from '../../../process/follow.ts';
import { runFile, STDOUT_NAME } from '../folder/task-folder.ts';
import { readRunInfo } from './run-info.ts';

const LOOK_EVERY_MS = 250;

export async function watchRun(folder: string, onOutput: ((chunk: Buffer) => void) | null): Promise<void> {
  const following = openFollowing(folder);
  let wake: () => void = () => undefined;
  for (const name of ['run-info.yaml', STDOUT_NAME]) following.watch.on(name, () => wake());
  const output: Follower[] = [];
  const followOutput = (): void => {
    if (output.length > 0 || onOutput === null || !existsSync(runFile.stdout(folder))) return;
    const onChunk = (chunk: Buffer): void => onOutput(Buffer.from(chunk));
    output.push(follow(folder, [{ name: STDOUT_NAME, onChunk }], following, alwaysReady));
  };
  try {
    for (;;) {
      followOutput();
      const info = readRunInfo(runFile.info(folder));
      if (info === null || info.endTime !== null) break;
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      await Promise.race([changed, sleep(LOOK_EVERY_MS)]);
    }
    followOutput();
    for (const follower of output) await follower.drain();
  } finally {
    for (const follower of output) follower.close();
    following.watch.close();
  }
}
