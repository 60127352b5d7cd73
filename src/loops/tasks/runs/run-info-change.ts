/**
 * Changes a run's report while nobody else does, under `run-info.yaml.lock`. The run's supervisor writes what it knows;
 * others (whoever marks a run whose supervisor died, whoever started the supervisor) change what they find.
 */
import type { Self } from '../../../bus/lock.ts';
import { underLock } from '../../../bus/under-lock.ts';
import { RalphError } from '../../../core/error.ts';
import { type RunInfo, readRunInfo, writeRunInfo } from './run-info.ts';

const LOCK = { what: 'run report', tries: 1 } as const;
const OTHERS_WAIT_MS = 5000;
const SUPERVISOR_WAITS_MS = 1000;

/** Does nothing where there is no report. */
export async function updateRunInfo(path: string, change: (info: RunInfo) => RunInfo): Promise<void> {
  if (readRunInfo(path) === null) return;
  await underLock(path, { ...LOCK, lockTimeoutMs: OTHERS_WAIT_MS }, () => {
    const info = readRunInfo(path);
    const changed = info === null ? null : change(info);
    if (changed !== null && changed !== info) writeRunInfo(path, changed);
  });
}

/** As the run's supervisor: what it writes holds, whatever somebody else made of the report meanwhile. */
export async function reportRun(path: string, info: RunInfo, self: Self): Promise<void> {
  try {
    await underLock(path, { ...LOCK, lockTimeoutMs: SUPERVISOR_WAITS_MS, self }, () => writeRunInfo(path, info));
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    // Whoever changes a report holds its lock for a part of a millisecond: this one was put there by the agent.
    writeRunInfo(path, info);
  }
}
