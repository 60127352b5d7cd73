/** Runs an agent as our own child. An agent whose supervisor died is ended by the next supervisor that awaits it. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Exit } from '../core/outcome.ts';
import type { Duration } from '../core/time.ts';
import { endOnAbort, endRun, isGone, sweep } from '../process/end.ts';
import { type FolderWatch, watchFolder } from '../process/folder-watch.ts';
import { follow } from '../process/follow.ts';
import type { Host } from '../process/host.ts';
import { type Launch, type Launched, launch } from '../process/launch.ts';
import { readTrace } from '../process/trace.ts';
import { type Runner, transcriptOf } from './runner.ts';

export interface DirectOptions extends Pick<Launch, 'tethered'> {
  readonly host: Host;
  /** How long an agent has between SIGTERM and SIGKILL. */
  readonly grace: Duration;
}

export function directRunner({ host, grace, tethered = false }: DirectOptions): Runner {
  const children = new Map<string, Launched>();
  /** Of the folder in which the runs' files lie side by side: to begin a watch for each of them costs more as they grow many. */
  let runs: { readonly folder: string; readonly watch: FolderWatch } | null = null;
  return {
    name: 'direct',
    async start(run) {
      const output = transcriptOf(run);
      const files = { stdout: join(output.folder, output.stdout), stderr: join(output.folder, output.stderr) };
      const launched = await launch({ ...run, ...files, containment: host.containment, grace, tethered });
      children.set(run.mark, launched);
      return { pid: launched.pid };
    },
    async await(run, watch) {
      const { folder, mark } = run;
      const child = children.get(mark);
      const orphan = child === undefined ? readTrace(folder, mark) : null;
      const wasRunning = orphan !== null && !isGone(orphan);
      if (orphan !== null) await endRun(orphan, grace);
      const output = transcriptOf(run);
      const files = [
        { name: output.stdout, onChunk: (chunk: Buffer) => watch.onOutput(chunk) },
        { name: output.stderr, onChunk: (chunk: Buffer) => watch.onStderr(chunk) },
      ];
      // Those that are there: a run that never began has none, and an agent may have removed its own.
      const there = files.filter(({ name }) => existsSync(join(output.folder, name)));
      if (output.folder === folder) runs ??= { folder, watch: watchFolder(folder) };
      const shared = runs?.folder === output.folder ? runs.watch : undefined;
      const follower = follow(output.folder, there, watch.ready, shared);
      try {
        let exit: Exit = wasRunning ? { by: 'unseen', wasRunning } : { by: 'unseen' };
        if (child !== undefined) {
          exit = await endOnAbort(child.trace, { signal: watch.signal, grace }, () => child.exited);
          await sweep(child.trace, grace);
        }
        await follower.drain();
        return exit;
      } finally {
        follower.close();
        children.delete(mark);
      }
    },
    async close() {
      runs?.watch.close();
      await Promise.all([...children.values()].map(({ trace }) => endRun(trace, grace)));
    },
  };
}
