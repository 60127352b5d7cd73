/** Runs one command, once claimed, to its end: contained, ended when told to, nothing left behind. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Exit } from '../core/outcome.ts';
import type { Duration } from '../core/time.ts';
import { endRun, isGone, sweep } from './end.ts';
import type { Host } from './host.ts';
import { launch } from './launch.ts';
import { readTrace } from './trace.ts';

export interface CommandRun {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly folder: string;
  readonly mark: string;
  /** Gets stdout and stderr, in the order they were written. */
  readonly output: string;
  readonly extraEnv: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly grace: Duration;
}

/** Joins stderr to stdout, so that their order is kept. */
const JOINED = ['sh', '-c', 'exec "$@" 2>&1', 'ralph'] as const;

/** A process that escaped the weakest rung may hold the pipe; nobody waits longer for it. */
const LAST_OUTPUT_TAKES_AT_MOST: Duration = 1000;

/**
 * Null when it was ended by the signal. The output comes by a pipe and not straight into the file: a script that writes
 * to /dev/stderr would empty the file.
 */
export async function runCommand(run: CommandRun, host: Host): Promise<Exit | null> {
  const { argv, cwd, folder, mark, signal, grace } = run;
  const env = { ...host.env, ...run.extraEnv };
  const files = { stdout: 'pipe', stderr: null };
  const spec = { argv: [...JOINED, ...argv] as const, cwd, env, folder, mark, ...files, containment: host.containment };
  const file = openSync(run.output, 'w', 0o600);
  const { exited, trace, output } = await launch(spec, host.place);
  output?.on('data', (chunk: Buffer) => writeSync(file, chunk));
  const closed = output === null ? Promise.resolve() : finished(output).catch(brokenOff);
  const end = (): void => void endRun(trace, grace);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    const exit = await exited;
    await sweep(trace);
    await Promise.race([closed, sleep(LAST_OUTPUT_TAKES_AT_MOST, undefined, { ref: false })]);
    return signal.aborted ? null : exit;
  } finally {
    signal.removeEventListener('abort', end);
    output?.destroy();
    closeSync(file);
  }
}

function brokenOff(): void {
  // The pipe is closed by us when a process that escaped holds it: what it had said is in the file.
}

/** Ends whatever an attempt left running whose supervisor died. */
export async function endCutOff(folder: string, mark: string, grace: Duration): Promise<void> {
  const trace = readTrace(folder, mark);
  if (trace !== null) await endRun(trace, grace);
}

/** Lets it finish instead, for what must not be cut off in the middle; ends it only when it takes too long. */
export async function awaitCutOff(folder: string, mark: string, atMost: Duration, grace: Duration): Promise<void> {
  const trace = readTrace(folder, mark);
  if (trace === null) return;
  const deadline = performance.now() + atMost;
  while (!isGone(trace)) {
    if (performance.now() > deadline) {
      await endRun(trace, grace);
      return;
    }
    await sleep(10);
  }
}
