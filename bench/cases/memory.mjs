/** Does memory grow with the transcript? The peak of ralph's private memory at 85 MB against 42 MB. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { ralphRun } from '../harnesses.mjs';
import { compare, takeTurns } from '../measure.mjs';

const LOOK_EVERY_MS = 15;
const AT_MOST_MB = 4;

export async function measureMemory({ workspace, rounds }) {
  if (!existsSync('/proc/self/smaps_rollup')) {
    return [{ name: 'private memory', leftOut: 'only Linux tells it (/proc/<pid>/smaps_rollup)' }];
  }
  const peak = (transcript) => () => {
    workspace.clear();
    return peakOf(ralphRun(workspace, workspace.agent(transcript), 1));
  };
  const figures = await takeTurns(rounds, { at42: peak('large'), at85: peak('larger') });
  const floor = { name: 'at 42 MB', figures: figures.at42 };
  return [
    compare({
      name: 'private memory at 85 MB',
      unit: 'MB',
      figures: figures.at85,
      floor,
      by: 'difference',
      atMost: AT_MOST_MB,
    }),
  ];
}

/** The largest value seen while it runs, in megabytes. */
export async function peakOf({ argv: [command, ...args], cwd, env, exitCode = 0 }, megabytes = privateMegabytes) {
  const child = spawn(command, args, { cwd, env, stdio: 'ignore' });
  const exited = once(child, 'exit');
  let peak = 0;
  while (child.exitCode === null && child.signalCode === null) {
    peak = Math.max(peak, megabytes(child.pid));
    await sleep(LOOK_EVERY_MS);
  }
  const [code] = await exited;
  if (code !== exitCode) throw new Error(`${args.join(' ')} ended with exit code ${code}, not ${exitCode}`);
  return peak;
}

function privateMegabytes(pid) {
  return kilobytesIn(`/proc/${pid}/smaps_rollup`, /^Private_\w+: +(\d+) kB/gm) / 1024;
}

/** The peak that the kernel counts, so that nothing between two looks is missed. */
export function highestMegabytes(pid) {
  return kilobytesIn(`/proc/${pid}/status`, /^VmHWM:\s+(\d+) kB/gm) / 1024;
}

function kilobytesIn(file, pattern) {
  try {
    const figures = [...readFileSync(file, 'utf8').matchAll(pattern)].map(([, figure]) => Number(figure));
    return figures.reduce((sum, figure) => sum + figure, 0);
  } catch (error) {
    // It ended between two looks.
    if (error.code === 'ESRCH' || error.code === 'ENOENT') return 0;
    throw error;
  }
}
