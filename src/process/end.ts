/** Ends a run: SIGTERM first, then SIGKILL, until nothing of it is left. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Duration } from '../core/time.ts';
import { killLeaf, membersBelow, membersOf, removeLeafIfEmpty } from './containment/cgroup.ts';
import { nullOn } from './files.ts';
import { livingOf, lookFor } from './identity/process-table.ts';
import type { Trace } from './trace.ts';

const LOOK_EVERY: Duration = 5;
/** A run that takes long to end is checked less often: on the weakest level, each look reads the process table. */
const LOOK_AT_LEAST_EVERY: Duration = 80;
/** After SIGKILL the kernel needs only a moment, but a process in an uninterruptible wait may never end. */
const KILL_TAKES_AT_MOST: Duration = 10_000;

/** Sends SIGTERM to everything in the run, and SIGKILL after `grace`. Resolves to whether all of it is gone. */
export async function endRun(trace: Trace, grace: Duration): Promise<boolean> {
  const run = trace.plan.leaf === null ? knownByTable(trace) : heldByLeaf(trace.plan.leaf);
  if (await run.isGone()) return true;
  if (grace > 0) {
    run.ask();
    const deadline = performance.now() + grace;
    for (let pause = LOOK_EVERY; performance.now() < deadline; pause = Math.min(2 * pause, LOOK_AT_LEAST_EVERY)) {
      if (await run.isGone()) return true;
      await sleep(Math.min(pause, deadline - performance.now()));
    }
  }
  const deadline = performance.now() + KILL_TAKES_AT_MOST;
  do {
    // Each time again: on the weakest level, a fork can slip between two looks.
    run.kill();
    await sleep(LOOK_EVERY);
    if (await run.isGone()) return true;
  } while (performance.now() < deadline);
  return false;
}

/** Waits for a run, and ends it when the signal fires. Resolves only when nothing of that is still under way. */
export async function endOnAbort<T>(
  trace: Trace,
  { signal, grace }: { readonly signal: AbortSignal; readonly grace: Duration },
  wait: () => Promise<T>,
): Promise<T> {
  let ending = Promise.resolve(true);
  const end = (): void => {
    ending = endRun(trace, grace);
  };
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    const result = await wait();
    await ending;
    return result;
  } finally {
    signal.removeEventListener('abort', end);
  }
}

/** After the program has exited: ends what it left behind, as `endRun` does. Quick if there is nothing. */
export async function sweep(trace: Trace, grace: Duration): Promise<void> {
  // A pid namespace does not outlive its init, which has already asked everything else to end.
  if (trace.plan.level === 'pid-namespace') return;
  await endRun(trace, grace);
}

/** Is nothing of the run left? Ends nothing. */
export function isGone({ plan, leader }: Trace): boolean {
  return plan.leaf === null ? livingOf(plan.mark, leader).length === 0 : removeLeafIfEmpty(plan.leaf);
}

/** Does this process belong to the run? */
export function isInside({ plan, leader }: Trace, { pid, ppid }: Pick<NodeJS.Process, 'pid' | 'ppid'>): boolean {
  if (plan.leaf !== null && membersOf(plan.leaf).includes(pid)) return true;
  // The table leaves out the process that reads it, so look for its parent.
  return livingOf(plan.mark, leader).some((row) => row.pid === ppid);
}

function heldByLeaf(leaf: string): ReturnType<typeof knownByTable> {
  return {
    isGone: async () => removeLeafIfEmpty(leaf),
    ask: () => send(membersBelow(leaf), 'SIGTERM'),
    kill: () => killLeaf(leaf),
  };
}

/**
 * A process in the middle of an exec shows no mark for a moment, and one that is started while the table is read is
 * missing from it: if a look that found nothing may have missed one, a second look confirms it. A process that is
 * ending loses its mark before its files and locks, so each one that was ever seen is waited for.
 */
function knownByTable({ plan, leader }: Trace) {
  let seen = new Map<number, string>();
  const look = (): { readonly pids: readonly number[]; readonly isCertain: boolean } => {
    const { living, isCertain } = lookFor(plan.mark, leader, seen);
    seen = new Map(living.map(({ pid, startTime }) => [pid, startTime]));
    return { pids: [...seen.keys()], isCertain };
  };
  return {
    async isGone(): Promise<boolean> {
      const { pids, isCertain } = look();
      if (pids.length > 0 || isCertain) return pids.length === 0;
      await sleep(LOOK_EVERY);
      return look().pids.length === 0;
    },
    ask: (): void => send(look().pids, 'SIGTERM'),
    kill: (): void => send(look().pids, 'SIGKILL'),
  };
}

function send(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) nullOn(['ESRCH'], () => process.kill(pid, signal));
}
