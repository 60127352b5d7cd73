/** Runs an agent as our own child. An agent whose supervisor died is ended by whoever awaits it next. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Duration } from '../core/time.ts';
import { endRun, isGone, sweep } from '../process/end.ts';
import { endOnAbort } from '../process/end-on-abort.ts';
import { type Followed, type Following, follow } from '../process/follow.ts';
import type { Host } from '../process/host.ts';
import { type Launched, launch } from '../process/launch.ts';
import { readTrace } from '../process/trace.ts';
import { openEyes } from '../process/watch-pool.ts';
import { type Runner, type RunWatch, type Transcript, transcriptOf } from './runner.ts';

export interface DirectOptions {
  readonly host: Host;
  /** How long an agent has between SIGTERM and SIGKILL. */
  readonly grace: Duration;
  /** Agents die with this supervisor. */
  readonly tethered?: boolean;
}

export function directRunner({ host, grace, tethered = false }: DirectOptions): Runner {
  const children = new Map<string, Launched>();
  const eyes = openEyes();
  return {
    name: 'direct',
    async start(run) {
      const { folder, mark, argv, cwd, env, stdin } = run;
      const output = transcriptOf(run);
      const files = {
        stdout: join(output.folder, output.stdout),
        stderr: join(output.folder, output.stderr),
        ...(stdin === undefined ? {} : { stdin }),
      };
      const spec = { argv, cwd, env, folder, mark, containment: host.containment, grace, tethered, ...files };
      const launched = await launch(spec, host.place);
      children.set(mark, launched);
      return { pid: launched.pid };
    },
    async await(run, watch) {
      const { folder, mark } = run;
      const child = children.get(mark);
      const output = transcriptOf(run);
      const { following, done } = eyes.on(output.folder);
      if (child === undefined) {
        const orphan = readTrace(folder, mark);
        const wasRunning = orphan !== null && !isGone(orphan);
        if (orphan !== null) await endRun(orphan, grace);
        await readWhole(output, watch, following);
        done();
        return wasRunning ? { by: 'unseen', wasRunning } : { by: 'unseen' };
      }
      const { trace, exited } = child;
      const follower = follow(output.folder, filesOf(output, watch), following, watch.ready);
      try {
        const exit = await endOnAbort(trace, { signal: watch.signal, grace }, () => exited);
        await sweep(trace, grace);
        await follower.drain();
        return exit;
      } finally {
        follower.close();
        done();
        children.delete(mark);
      }
    },
    async close() {
      eyes.close();
      await Promise.all([...children.values()].map(({ trace }) => endRun(trace, grace)));
    },
  };
}

/** Everything a finished run has written. */
async function readWhole(output: Transcript, watch: RunWatch, following: Following): Promise<void> {
  const follower = follow(output.folder, filesOf(output, watch), following, watch.ready);
  await follower.drain();
  follower.close();
}

/** Those that are there: a run that never began has none, and an agent may have removed its own. */
function filesOf({ folder, stdout, stderr }: Transcript, watch: RunWatch): Followed[] {
  const files: Followed[] = [
    { name: stdout, onChunk: (chunk) => watch.onOutput(chunk) },
    { name: stderr, onChunk: (chunk) => watch.onStderr(chunk) },
  ];
  return files.filter(({ name }) => existsSync(join(folder, name)));
}
