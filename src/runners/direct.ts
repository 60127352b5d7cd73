/** Runs an agent as our own child. An agent whose supervisor died is ended by whoever awaits it next. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Duration } from '../core/time.ts';
import { endRun, sweep } from '../process/end.ts';
import { type Followed, follow, followBuffer } from '../process/follow.ts';
import type { Host } from '../process/host.ts';
import { type Launched, launch } from '../process/launch.ts';
import { readTrace } from '../process/trace.ts';
import { OUTPUT_FILE, type Runner, type RunWatch, STDERR_FILE } from './runner.ts';

export interface DirectOptions {
  readonly host: Host;
  /** How long an agent has between SIGTERM and SIGKILL. */
  readonly grace: Duration;
  /** Agents die with this supervisor. */
  readonly tethered?: boolean;
}

export function directRunner({ host, grace, tethered = false }: DirectOptions): Runner {
  const children = new Map<string, Launched>();
  const buffer = followBuffer();
  return {
    name: 'direct',
    async start({ folder, mark, argv, cwd, env, stdin }) {
      const files = { stdout: OUTPUT_FILE, stderr: STDERR_FILE, ...(stdin === undefined ? {} : { stdin }) };
      const spec = { argv, cwd, env, folder, mark, containment: host.containment, tethered, ...files };
      children.set(folder, await launch(spec, host.place));
    },
    async await(folder, watch) {
      const child = children.get(folder);
      if (child === undefined) {
        const orphan = readTrace(folder);
        if (orphan !== null) await endRun(orphan, grace);
        readWhole(folder, watch);
        return { by: 'unseen' };
      }
      const { trace, exited } = child;
      const follower = follow(folder, filesOf(watch), buffer);
      const end = (): void => void endRun(trace, grace);
      watch.signal.addEventListener('abort', end, { once: true });
      if (watch.signal.aborted) end();
      try {
        const exit = await exited;
        await sweep(trace);
        follower.drain();
        return exit;
      } finally {
        watch.signal.removeEventListener('abort', end);
        follower.close();
        children.delete(folder);
      }
    },
    async close() {
      await Promise.all([...children.values()].map(({ trace }) => endRun(trace, grace)));
    },
  };
}

/** Everything a finished run has written. */
function readWhole(folder: string, watch: RunWatch): void {
  const files = filesOf(watch).filter((file) => existsSync(join(folder, file.name)));
  if (files.length === 0) return;
  const follower = follow(folder, files);
  follower.drain();
  follower.close();
}

function filesOf(watch: RunWatch): Followed[] {
  return [
    { name: OUTPUT_FILE, onChunk: (chunk) => watch.onOutput(chunk) },
    { name: STDERR_FILE, onChunk: (chunk) => watch.onStderr(chunk) },
  ];
}
