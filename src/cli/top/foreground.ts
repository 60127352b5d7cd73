/** Runs a program that has the terminal for a while, such as a pager. It ends, with its children, if ralph top does. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { Duration } from '../../core/time.ts';
import { endOnAbort } from '../../process/end.ts';
import { identifyChild } from '../../process/identity/identity.ts';
import { MARK_VARIABLE } from '../../process/identity/process-table.ts';

/** Time for a pager to restore the terminal when it is asked to end. */
const GRACE: Duration = 1000;

interface Foreground {
  readonly argv: readonly [string, ...string[]];
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: 'pipe' | 'inherit';
  readonly signal: AbortSignal;
}

/** Rejects if the program cannot be started. `use` works with it while it runs. */
export async function inForeground(
  { argv, env, stdin, signal }: Foreground,
  use: (child: ChildProcess) => Promise<void> = async () => undefined,
): Promise<void> {
  const [program, ...args] = argv;
  const mark = `top-${randomUUID()}`;
  const marks = [env[MARK_VARIABLE], mark].filter(Boolean).join(' ');
  // In our own process group, as another one could not read from the terminal. So it is known by its mark and its tree.
  const child = spawn(program, args, { stdio: [stdin, 'inherit', 'inherit'], env: { ...env, [MARK_VARIABLE]: marks } });
  const closed = once(child, 'close');
  const leader = child.pid === undefined ? null : identifyChild(child.pid);
  const trace = { plan: { v: 1, level: 'group', mark, leaf: null }, leader } as const;
  await endOnAbort(trace, { signal, grace: GRACE }, async () => {
    const used = use(child);
    await closed;
    await used;
  });
}
