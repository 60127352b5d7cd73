/** The context of every worker command: swarm's folder (`~/.swarm`, or SWARM_HOME), output, errors and locks. */
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { RalphError } from '../../../core/error.ts';
import type { ContainmentLevel } from '../../../process/containment/levels.ts';
import { ifThere } from '../../../process/files.ts';
import { lockWhenFree } from '../../../state/under-lock.ts';

export interface Swarm {
  readonly home: string;
  readonly env: NodeJS.ProcessEnv;
  readonly cwd: string;
  readonly containment: ContainmentLevel | null;
  /** The folder of this machine's loops. */
  readonly stateRoot: string;
  /** The command line that starts this program again. */
  readonly self: readonly [string, ...string[]];
  /** Prints a line to stdout. */
  say(line: string): void;
  /** Prints a line to stderr; callers begin it with `swarm: `. */
  warn(line: string): void;
  /** Prints text to stdout, unchanged. */
  show(text: string): void;
}

export function workerFiles(home: string, name: string) {
  const folder = join(home, 'workers', name);
  const logsFolder = join(home, 'logs');
  const log = (kind: string): string => join(logsFolder, `${name}.${kind}.log`);
  return {
    /** Held while this worker is started or ended. */
    lock: join(home, 'locks', `worker-${name}`),
    /** Contains what proves that a window or process belongs to this worker. */
    folder,
    window: join(folder, 'window'),
    process: join(folder, 'process'),
    leader: join(folder, 'process', 'leader.json'),
    /** The policy of its sandbox, and what that has refused. */
    sandbox: join(folder, 'sandbox'),
    refusals: join(folder, 'sandbox', 'refused'),
    /** A copy of its record, so that a running worker survives the loss of the state file. */
    record: join(folder, 'record.json'),
    logsFolder,
    logs: { stdout: log('stdout'), stderr: log('stderr'), tmux: log('tmux') },
    supervisorLog: log('ralph'),
  };
}

/** A new worker begins with an empty log; that of the last worker of this name is kept beside it. */
export function keepPreviousLogs(home: string, name: string): void {
  for (const path of Object.values(workerFiles(home, name).logs)) {
    ifThere(() => renameSync(path, `${path}.previous`));
  }
}

export function removeLogs(home: string, name: string): void {
  for (const path of Object.values(workerFiles(home, name).logs)) {
    for (const file of [path, `${path}.previous`]) rmSync(file, { force: true });
  }
}

/** An error that the user can fix: `swarm: error: <message>`. */
export function refused(message: string, exitCode = 1, hint?: string): RalphError {
  return new RalphError('SWARM', message, { exitCode, ...(hint === undefined ? {} : { hint }) });
}

/** Waits for a lock, and does something while holding it. Most locks are only held for a read and a write. */
export async function locked<T>(folder: string, purpose: string, work: () => Promise<T> | T, patience = 10_000) {
  const attempt = await lockWhenFree(folder, purpose, { patience, refusesForeign: true });
  if (attempt.got) {
    try {
      return await work();
    } finally {
      attempt.lock.release();
    }
  }
  const { holder, foreign, file } = attempt;
  const fact = `locked by ${holder.purpose}, pid ${holder.pid}`;
  if (!foreign) throw refused(fact);
  throw refused(`${fact} on another machine or in another container`, 1, `If that process is gone, remove ${file}`);
}
