/** Ends a run: asks first, then insists, and comes back when nothing of it is left. */
import { setTimeout as sleep } from 'node:timers/promises';
import { errnoOf } from '../core/error.ts';
import type { Duration } from '../core/time.ts';
import { killLeaf, membersOf, removeLeafIfEmpty } from './cgroup.ts';
import { processesOf } from './process-table.ts';
import type { Trace } from './trace.ts';

const LOOK_EVERY: Duration = 5;
/** After SIGKILL the kernel needs a moment, not more; a process in an uninterruptible wait can need for ever. */
const KILL_TAKES_AT_MOST: Duration = 10_000;

/** Asks everything in the run to end (SIGTERM), and after `grace` ends it. Resolves true once nothing is left. */
export async function endRun(trace: Trace, grace: Duration): Promise<boolean> {
  if (grace > 0 && !isGone(trace)) {
    signalAll(trace, 'SIGTERM');
    if (await gone(trace, grace)) return true;
  }
  const deadline = performance.now() + KILL_TAKES_AT_MOST;
  while (!isGone(trace)) {
    if (performance.now() > deadline) return false;
    // Again each time: on the weakest rung a fork can slip between two looks.
    killAll(trace);
    await sleep(LOOK_EVERY);
  }
  return true;
}

/** After the program's own exit: ends what it left behind, without asking. Quick when there is nothing. */
export async function sweep(trace: Trace): Promise<void> {
  // A pid namespace does not outlive its init.
  if (trace.plan.rung === 'pid-namespace') return;
  if (!isGone(trace)) await endRun(trace, 0);
}

/** Is nothing of this run left? Removes the emptied cgroup on the way. */
export function isGone({ plan, leader }: Trace): boolean {
  switch (plan.rung) {
    case 'cgroup':
      return plan.leaf === null || removeLeafIfEmpty(plan.leaf);
    case 'pid-namespace':
    case 'group':
      return processesOf(plan.mark, leader).length === 0;
  }
}

function signalAll({ plan, leader }: Trace, signal: NodeJS.Signals): void {
  const members = plan.rung === 'cgroup' && plan.leaf !== null ? membersOf(plan.leaf) : processesOf(plan.mark, leader);
  for (const pid of members) send(pid, signal);
}

function killAll(trace: Trace): void {
  if (trace.plan.rung === 'cgroup' && trace.plan.leaf !== null) killLeaf(trace.plan.leaf);
  else signalAll(trace, 'SIGKILL');
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if (errnoOf(error) !== 'ESRCH') throw error;
  }
}

async function gone(trace: Trace, within: Duration): Promise<boolean> {
  const deadline = performance.now() + within;
  while (!isGone(trace)) {
    if (performance.now() > deadline) return false;
    await sleep(LOOK_EVERY);
  }
  return true;
}
