/** Runs an agent in a sandbox: any runner, with the command put into an enclosure, and what that refuses told. */
import { join } from 'node:path';
import { writeFile } from '../process/files.ts';
import { alwaysReady, follow } from '../process/follow.ts';
import { openEyes } from '../process/watch-pool.ts';
import { lineSplitter } from '../stream/lines.ts';
import type { OsSandbox } from './os-sandbox.ts';
import type { RunFiles, Runner, RunWatch } from './runner.ts';
import { describeRefusal, keepRefusal, parseRefusal } from './sandbox/refusals.ts';

export function enclosedRunner(inner: Runner, enclosure: Pick<OsSandbox, 'enclose' | 'env' | 'putAside'>): Runner {
  const eyes = openEyes();
  return {
    ...inner,
    start(run) {
      const { folder, argv, env, writes = [] } = run;
      const refusals = join(folder, refusalsName(run));
      // What is followed must be there, and what is to be written inside must be there to be let in.
      for (const file of [refusals, ...writes]) writeFile(file, '', { flag: 'a', mode: 0o600 });
      const enclosed = enclosure.enclose(argv, { refusals, writes });
      return inner.start({ ...run, argv: enclosed, env: { ...env, ...enclosure.env } });
    },
    async await(run, watch) {
      const heard = followRefusals(run, watch, eyes.on(run.folder));
      try {
        return await inner.await(run, watch);
      } finally {
        // As a rule that was done when the program ended; but whoever had to be killed was not alone.
        for (const refusal of enclosure.putAside()) keepRefusal(join(run.folder, refusalsName(run)), refusal);
        await heard();
      }
    },
    async close() {
      eyes.close();
      await inner.close();
    },
  };
}

/** Resolves, when it is called, once all that was refused has been told. */
function followRefusals(
  run: RunFiles,
  { onRefusal }: RunWatch,
  { following, done }: ReturnType<ReturnType<typeof openEyes>['on']>,
): () => Promise<void> {
  const onLine = (line: Buffer): void => {
    for (const refusal of parseRefusal(line.toString('utf8'))) onRefusal?.(describeRefusal(refusal));
  };
  const lines = lineSplitter({ onLine });
  const name = refusalsName(run);
  // A supervisor that died between the claim and the start has left none.
  writeFile(join(run.folder, name), '', { flag: 'a', mode: 0o600 });
  const follower = follow(run.folder, [{ name, onChunk: (chunk) => lines.push(chunk) }], following, alwaysReady);
  return async () => {
    await follower.drain();
    lines.end();
    follower.close();
    done();
  };
}

function refusalsName({ name }: RunFiles): string {
  return `${name}.refused`;
}
