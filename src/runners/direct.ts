/** Runs an agent as our own child. An agent whose supervisor died is ended by whoever awaits it next. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Duration } from '../core/time.ts';
import { endRun, sweep } from '../process/end.ts';
import { endOnAbort } from '../process/end-on-abort.ts';
import { openEyes } from '../process/eyes.ts';
import { type Followed, type Following, follow } from '../process/follow.ts';
import type { Host } from '../process/host.ts';
import { type Launched, launch } from '../process/launch.ts';
import { openSpawner } from '../process/spawner.ts';
import { readTrace } from '../process/trace.ts';
import { outputName, type RunFiles, type Runner, type RunWatch, stderrName } from './runner.ts';

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
  const spawner = openSpawner(host.env);
  return {
    name: 'direct',
    async start(run) {
      const { folder, mark, argv, cwd, env, stdin } = run;
      const files = { stdout: outputName(run), stderr: stderrName(run), ...(stdin === undefined ? {} : { stdin }) };
      const spec = { argv, cwd, env, folder, mark, containment: host.containment, tethered, spawner, ...files };
      children.set(mark, await launch(spec, host.place));
    },
    async await(run, watch) {
      const { folder, mark } = run;
      const child = children.get(mark);
      const { following, done } = eyes.on(folder);
      if (child === undefined) {
        const orphan = readTrace(folder, mark);
        if (orphan !== null) await endRun(orphan, grace);
        await readWhole(run, watch, following);
        done();
        return { by: 'unseen' };
      }
      const { trace, exited } = child;
      const follower = follow(folder, filesOf(run, watch), following, watch.ready);
      try {
        const exit = await endOnAbort(trace, { signal: watch.signal, grace }, () => exited);
        await sweep(trace);
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
      await spawner.close();
    },
  };
}

/** Everything a finished run has written. */
async function readWhole(run: RunFiles, watch: RunWatch, following: Following): Promise<void> {
  const files = filesOf(run, watch).filter((file) => existsSync(join(run.folder, file.name)));
  const follower = follow(run.folder, files, following, watch.ready);
  await follower.drain();
  follower.close();
}

function filesOf(run: RunFiles, watch: RunWatch): Followed[] {
  return [
    { name: outputName(run), onChunk: (chunk) => watch.onOutput(chunk) },
    { name: stderrName(run), onChunk: (chunk) => watch.onStderr(chunk) },
  ];
}
