/** `swarm logs`: what a worker has printed, once or as it comes. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Duration } from '../../core/time.ts';
import { logPath } from '../../loops/swarm/workers/home.ts';
import { controlOf, isWorkerAlive } from '../../loops/swarm/workers/life.ts';
import { captureOver, lastLines, outputOf } from '../../loops/swarm/workers/output.ts';
import type { WorkerRecord } from '../../loops/swarm/workers/record.ts';
import { findWorker } from '../../loops/swarm/workers/registry.ts';
import type { Swarm } from '../../loops/swarm/workers/swarm.ts';

export interface LogsFlags {
  readonly history?: boolean;
  readonly lines: number;
  readonly follow?: boolean;
}

const LOOK_EVERY: Duration = 1000;
const FOLLOWED_LINES = 30;
const CLEAR_SCREEN = '\x1b[2J\x1b[H';

export async function logsCommand(swarm: Swarm, name: string, flags: LogsFlags): Promise<number> {
  const { history = false, lines, follow = false } = flags;
  const record = findWorker(swarm, name);
  if (record === undefined) {
    swarm.warn(`swarm: no worker named '${name}'`);
    return 1;
  }
  if (follow && record.tmux !== null) return followScreen(swarm, record, { history, lines });
  const file = logPath(swarm.home, name, 'stdout');
  if (follow && existsSync(file)) return followFile(file);
  const output = await outputOf(swarm, record, { history, lines });
  if (output === null) {
    swarm.warn(`swarm: no logs found for ${name}`);
    return 1;
  }
  swarm.show(output);
  return 0;
}

/** Until the worker has ended, or Ctrl-C. */
async function followScreen(
  swarm: Swarm,
  record: WorkerRecord,
  what: { readonly history: boolean; readonly lines: number },
): Promise<number> {
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const control = controlOf(swarm, record);
  const capture = captureOver(control);
  for (let runs = true; runs && !stop.signal.aborted; ) {
    runs = isWorkerAlive(swarm, record);
    // A worker that ends while we look is shown once more, from its log.
    const output = await outputOf(swarm, record, what, capture).catch(() => null);
    swarm.show(`${CLEAR_SCREEN}${lastLines(output ?? '', FOLLOWED_LINES)}`);
    if (runs) await sleep(LOOK_EVERY, undefined, { signal: stop.signal }).catch(() => undefined);
  }
  control.close();
  return 0;
}

function followFile(file: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const interrupted = new AbortController();
    const end = (): void => interrupted.abort();
    // Before the start: a Ctrl-C may come as soon as there is a line to see.
    process.once('SIGINT', end).once('SIGTERM', end).once('SIGHUP', end);
    const tail = spawn('tail', ['-f', file], { stdio: ['ignore', 'inherit', 'inherit'] });
    interrupted.signal.addEventListener('abort', () => void tail.kill('SIGTERM'), { once: true });
    tail.once('error', reject);
    tail.once('exit', (code) => resolve(code ?? 0));
  });
}
