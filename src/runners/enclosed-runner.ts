/**
 * Runs an agent in the sandbox: wraps any runner, puts its command into the sandbox, and reports what that refuses.
 * Closing it closes both.
 */
import { join } from 'node:path';
import { writeFile } from '../process/files.ts';
import { alwaysReady, follow } from '../process/follow.ts';
import type { EnclosedCommand } from '../process/host.ts';
import { lineSplitter } from '../stream/lines.ts';
import type { openOsSandbox } from './os-sandbox.ts';
import type { RunFiles, Runner } from './runner.ts';
import { describeRefusal, keepRefusal, parseRefusal } from './sandbox/refusals.ts';

export function enclosedRunner(inner: Runner, sandbox: ReturnType<typeof openOsSandbox>): Runner {
  const refusalsName = ({ name }: RunFiles): string => `${name}.refused`;
  // A file must exist to be followed, and to be mounted so that the program can write it.
  const makeEmpty = (file: string): void => writeFile(file, '', { flag: 'a', mode: 0o600 });
  /** The commands that were started here. */
  const started = new Map<string, EnclosedCommand>();
  return {
    ...inner,
    async start(run) {
      const { folder, argv, env, writes = [], onlyReads = false } = run;
      const refusals = join(folder, refusalsName(run));
      for (const file of [refusals, ...writes]) makeEmpty(file);
      const files = { refusals, writes, onlyReads };
      // A run that outlives its supervisor needs a process of its own that does, too; the helper does not.
      const command = inner.outlives === true ? null : await sandbox.enclose(argv, files);
      if (command !== null) started.set(run.mark, command);
      const enclosed = command?.argv ?? sandbox.command(argv, files);
      try {
        return await inner.start({ ...run, argv: enclosed, env: { ...env, ...sandbox.env } });
      } catch (error) {
        started.delete(run.mark);
        await command?.ended();
        throw error;
      }
    },
    async await(run, watch) {
      const name = refusalsName(run);
      const onLine = (line: Buffer): void => {
        for (const refusal of parseRefusal(line.toString('utf8'))) watch.onRefusal?.(describeRefusal(refusal));
      };
      const lines = lineSplitter({ onLine });
      // Missing if a supervisor died between the claim and the start.
      makeEmpty(join(run.folder, name));
      const follower = follow(run.folder, [{ name, onChunk: (chunk) => lines.push(chunk) }], alwaysReady);
      try {
        return await inner.await(run, watch);
      } finally {
        await started.get(run.mark)?.ended();
        started.delete(run.mark);
        // Usually this was done when the program ended, but one that had to be killed may have planted more.
        for (const refusal of sandbox.quarantine()) keepRefusal(join(run.folder, name), refusal);
        await follower.drain();
        lines.end();
        follower.close();
      }
    },
    async close() {
      await inner.close();
      await sandbox.close();
    },
  };
}
