/** Runs one command to its end in a folder claimed for it: contained, ended when told to, nothing left behind. */
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

/** Null when it was ended by the signal. */
export async function runCommand(run: CommandRun, host: Host): Promise<Exit | null> {
  const { argv, cwd, folder, mark, output, signal, grace } = run;
  const env = { ...host.env, ...run.extraEnv };
  const spec = { argv, cwd, env, folder, mark, stdout: output, stderr: output, containment: host.containment };
  const { exited, trace } = await launch(spec, host.place);
  const end = (): void => void endRun(trace, grace);
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    const exit = await exited;
    await sweep(trace);
    return signal.aborted ? null : exit;
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** Ends whatever an attempt left running whose supervisor died. */
export async function endCutOff(folder: string, grace: Duration): Promise<void> {
  const trace = readTrace(folder);
  if (trace !== null) await endRun(trace, grace);
}

/** Lets it finish instead, for what must not be cut off in the middle; ends it only when it takes too long. */
export async function awaitCutOff(folder: string, atMost: Duration, grace: Duration): Promise<void> {
  const trace = readTrace(folder);
  if (trace === null) return;
  const deadline = performance.now() + atMost;
  while (!isGone(trace)) {
    if (performance.now() > deadline) {
      await endRun(trace, grace);
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}
