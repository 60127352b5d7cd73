/** Runs an agent as our own child. An agent whose supervisor died is ended by the next supervisor that awaits it. */
import { closeSync, existsSync, openSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Exit } from '../core/outcome.ts';
import type { Duration } from '../core/time.ts';
import { endOnAbort, endRun, isGone, sweep } from '../process/end.ts';
import { nullOn } from '../process/files.ts';
import { type FolderWatch, watchFolder } from '../process/folder-watch.ts';
import { follow } from '../process/follow.ts';
import type { Host } from '../process/host.ts';
import { type Launch, type Launched, launch } from '../process/launch.ts';
import { readTrace } from '../process/trace.ts';
import { type Runner, type Transcript, transcriptOf } from './runner.ts';

export interface DirectOptions extends Pick<Launch, 'tethered'> {
  readonly host: Host;
  /** How long an agent has between SIGTERM and SIGKILL. */
  readonly grace: Duration;
}

export function directRunner({ host, grace, tethered = false }: DirectOptions): Runner {
  const children = new Map<string, Launched>();
  /** Outputs that nothing follows yet. */
  const outputs = new Map<string, Output>();
  /** One watch for the folder with the files of all runs: a watch per run costs more, the more files there are. */
  let runs: { readonly folder: string; readonly watch: FolderWatch } | null = null;
  return {
    name: 'direct',
    async start(run) {
      const output = openOutput(transcriptOf(run));
      try {
        const launched = await launch({ ...run, ...output, containment: host.containment, grace, tethered });
        children.set(run.mark, launched);
        outputs.set(run.mark, output);
        return { pid: launched.pid };
      } catch (error) {
        closeOutput(output);
        throw error;
      }
    },
    async await(run, watch) {
      const { folder, mark } = run;
      const child = children.get(mark);
      const orphan = child === undefined ? readTrace(folder, mark) : null;
      const wasRunning = orphan !== null && !isGone(orphan);
      if (orphan !== null) await endRun(orphan, grace);
      const transcript = transcriptOf(run);
      const output = outputs.get(mark);
      outputs.delete(mark);
      let hasComplained = false;
      const files = [
        { name: transcript.stdout, fd: output?.stdout, onChunk: (chunk: Buffer) => watch.onOutput(chunk) },
        {
          name: transcript.stderr,
          fd: output?.stderr,
          onChunk: (chunk: Buffer) => {
            hasComplained = true;
            watch.onStderr(chunk);
          },
        },
      ];
      // Only those that exist: a run that never began has none, and an agent may have removed its own.
      const there = files.filter(({ name, fd }) => fd !== undefined || existsSync(join(transcript.folder, name)));
      if (transcript.folder === folder) runs ??= { folder, watch: watchFolder(folder) };
      const shared = runs?.folder === transcript.folder ? runs.watch : undefined;
      const follower = follow(transcript.folder, there, watch.ready, shared);
      try {
        let exit: Exit = wasRunning ? { by: 'unseen', wasRunning } : { by: 'unseen' };
        if (child !== undefined) {
          exit = await endOnAbort(child.trace, { signal: watch.signal, grace }, () => child.exited);
          await sweep(child.trace, grace);
        }
        await follower.drain();
        // Most agents print nothing to stderr. The output file stays: it is also the run's claim.
        if (!hasComplained && transcript.folder === folder) removeIfThere(join(folder, transcript.stderr));
        return exit;
      } finally {
        follower.close();
        children.delete(mark);
      }
    },
    async close() {
      runs?.watch.close();
      await Promise.all([...children.values()].map(({ trace }) => endRun(trace, grace)));
      for (const output of outputs.values()) closeOutput(output);
      outputs.clear();
    },
  };
}

/** An agent may have put something else in its place, which is not ours to remove. */
function removeIfThere(path: string): void {
  nullOn(['ENOENT', 'EISDIR', 'EPERM'], () => unlinkSync(path));
}

/** The files that the program prints into and we follow. */
type Output = ReturnType<typeof openOutput>;

function openOutput({ folder, stdout, stderr }: Transcript) {
  const open = (name: string): number => openSync(join(folder, name), 'a+', 0o600);
  const out = open(stdout);
  try {
    return { stdout: out, stderr: open(stderr) };
  } catch (error) {
    closeSync(out);
    throw error;
  }
}

function closeOutput({ stdout, stderr }: Output): void {
  closeSync(stdout);
  closeSync(stderr);
}
