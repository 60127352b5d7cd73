/** Tells what an agent's sandbox refuses it, while it runs. */
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { PerformAt } from '../../../engine/perform.ts';
import { alwaysReady, follow, openFollowing } from '../../../process/follow.ts';
import { describeRefusal, parseRefusal } from '../../../runners/sandbox/refusals.ts';
import { runsFolder } from '../../../state/run-files.ts';
import { lineSplitter } from '../../../stream/lines.ts';

export interface Refusals {
  /** When the run is over: all are told, and this is how many. */
  end(): Promise<number>;
}

/** Where the sandbox of a run writes what it refuses. */
export function refusalsOfRun(loop: string, run: string): string {
  return join(runsFolder(loop), `${run}.refused`);
}

/** A run without a sandbox has no such file. */
export function tellRefusals(file: string, at: Pick<PerformAt, 'progress'>): Refusals {
  if (!existsSync(file)) return { end: () => Promise.resolve(0) };
  let count = 0;
  const lines = lineSplitter({
    onLine: (line) => {
      for (const refusal of parseRefusal(line.toString('utf8'))) {
        count++;
        at.progress({ type: 'refusal', text: describeRefusal(refusal) });
      }
    },
  });
  const following = openFollowing(dirname(file));
  const files = [{ name: basename(file), onChunk: (chunk: Buffer) => lines.push(chunk) }];
  const follower = follow(dirname(file), files, following, alwaysReady);
  return {
    async end() {
      await follower.drain();
      lines.end();
      follower.close();
      following.watch.close();
      return count;
    },
  };
}
