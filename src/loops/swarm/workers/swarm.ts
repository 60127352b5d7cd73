/** What every worker command is handed: where swarm lives (`~/.swarm`, or SWARM_HOME), how it speaks, how it waits its turn. */
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
  /** Where the loops of this machine live. */
  readonly stateRoot: string;
  /** The command line that starts this program again. */
  readonly self: readonly [string, ...string[]];
  /** A line on stdout. */
  say(line: string): void;
  /** A line on stderr, which begins with `swarm: `. */
  warn(line: string): void;
  /** Text as it is, on stdout. */
  show(text: string): void;
}

export function workerFiles(home: string, name: string) {
  const folder = join(home, 'workers', name);
  const logsFolder = join(home, 'logs');
  const log = (kind: string): string => join(logsFolder, `${name}.${kind}.log`);
  return {
    /** Held while the worker of this name is started or ended. */
    lock: join(home, 'locks', `worker-${name}`),
    /** What proves that a window or process is this worker's. */
    folder,
    window: join(folder, 'window'),
    process: join(folder, 'process'),
    leader: join(folder, 'process', 'leader.json'),
    /** The policy of its sandbox, and what that has refused it. */
    sandbox: join(folder, 'sandbox'),
    refusals: join(folder, 'sandbox', 'refused'),
    /** A copy of its record: what is alive outlives a lost state file. */
    record: join(folder, 'record.json'),
    logsFolder,
    logs: { stdout: log('stdout'), stderr: log('stderr'), tmux: log('tmux') },
    supervisorLog: log('ralph'),
  };
}

/** A new worker's log holds nothing of an earlier one of its name; that one's is kept beside it, once. */
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

/** An error that a person can act on: `swarm: error: <message>`. */
export function refused(message: string, exitCode = 1, hint?: string): RalphError {
  return new RalphError('SWARM', message, { exitCode, ...(hint === undefined ? {} : { hint }) });
}

/** Does something while holding a lock, and waits for its turn. Most are held for a read and a write. */
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
