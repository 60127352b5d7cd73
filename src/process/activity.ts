/** What the processes of a run do, as far as the system shows it: the CPU time they used, and their TCP traffic. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { handled } from '../core/error.ts';
import type { Duration } from '../core/time.ts';
import { membersBelow } from './containment/cgroup.ts';
import { ifThere } from './files.ts';
import { cpuTimesOf } from './identity/identity-darwin.ts';
import { livingOf } from './identity/process-table.ts';
import type { Trace } from './trace.ts';

export interface Activity {
  readonly cpuMs: Duration;
  /** Sent and received over all current connections; null if there are none, or the system does not show them. */
  readonly tcpBytes: number | null;
  /** Its processes, on systems that lose the CPU time of ended ones: one that comes or goes is activity, too. */
  readonly processes?: string;
}

/** Whether TCP traffic is part of what can be seen. */
export const SEES_TCP = process.platform === 'linux';

/** Null if what the run does cannot be seen. */
export async function activityOf(trace: Trace): Promise<Activity | null> {
  if (process.platform === 'darwin')
    return handled(
      () => activityByPs(trace),
      (): null => null,
    );
  return process.platform === 'linux' ? activityByProc(trace) : null;
}

function activityByPs({ plan, leader }: Trace): Activity | null {
  const pids = livingOf(plan.mark, leader).map(({ pid }) => pid);
  if (pids.length === 0) return null;
  const cpuMs = [...cpuTimesOf(pids).values()].reduce((sum, used) => sum + used, 0);
  return { cpuMs, tcpBytes: null, processes: pids.sort((a, b) => a - b).join(' ') };
}

async function activityByProc({ plan, leader }: Trace): Promise<Activity | null> {
  const pids = plan.leaf === null ? livingOf(plan.mark, leader).map(({ pid }) => pid) : membersBelow(plan.leaf);
  if (pids.length === 0) return null;
  const cpuMs = (plan.leaf === null ? null : cpuOfLeaf(plan.leaf)) ?? pids.reduce((sum, pid) => sum + cpuOf(pid), 0);
  return { cpuMs, tcpBytes: tcpBytesIn(await listConnections(), new Set(pids)) };
}

/** Includes processes that have ended. */
function cpuOfLeaf(leaf: string): Duration | null {
  const [, micros] =
    /^usage_usec (\d+)$/m.exec(ifThere(() => readFileSync(join(leaf, 'cpu.stat'), 'latin1')) ?? '') ?? [];
  return micros === undefined ? null : Number(micros) / 1000;
}

/** The clock ticks that Linux reports, whatever the kernel uses itself. */
const TICK_MS: Duration = 10;

/** Includes its children that have ended. */
function cpuOf(pid: number): Duration {
  const stat = ifThere(() => readFileSync(`/proc/${pid}/stat`, 'latin1')) ?? '';
  // A program's name can contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + (Number(ticks) || 0), 0) * TICK_MS;
}

const LOOK_WITHIN_MS: Duration = 5000;

/** Where systems install it: an agent cannot write to any of these folders. */
const SS = ['/usr/bin/ss', '/usr/sbin/ss', '/bin/ss', '/sbin/ss', '/run/current-system/sw/bin/ss'];

/** Empty if `ss` is missing or not permitted. */
function listConnections(): Promise<string> {
  return new Promise((resolve) => {
    const options = { env: {}, timeout: LOOK_WITHIN_MS, maxBuffer: 64 * 1024 * 1024 };
    const ss = SS.find((path) => existsSync(path));
    if (ss === undefined) resolve('');
    else execFile(ss, ['-tinpHO'], options, (error, stdout) => resolve(error === null ? stdout : ''));
  });
}

/** One connection per line: `ESTAB … users:(("node",pid=123,fd=20)) … bytes_sent:517 bytes_received:4096 …` */
export function tcpBytesIn(listed: string, pids: ReadonlySet<number>): number | null {
  const ours = listed.split('\n').filter((line) => {
    return [...line.matchAll(/\bpid=(\d+),/g)].some(([, pid]) => pids.has(Number(pid)));
  });
  if (ours.length === 0) return null;
  const bytes = ours.flatMap((line) =>
    [...line.matchAll(/\bbytes_(?:sent|received):(\d+)/g)].map(([, count]) => Number(count)),
  );
  return bytes.reduce((sum, count) => sum + count, 0);
}
