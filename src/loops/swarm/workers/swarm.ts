/** What every worker command is handed: where swarm lives, whom it runs for, how it speaks, and how it waits its turn. */
import { setTimeout as sleep } from 'node:timers/promises';
import { RalphError } from '../../../core/error.ts';
import type { Duration } from '../../../core/time.ts';
import type { ContainmentLevel } from '../../../process/containment/containment.ts';
import type { MachineIdentity } from '../../../process/identity/identity.ts';
import { type Lock, tryLock } from '../../../state/lock.ts';
import type { Home } from './home.ts';
import type { WorkerRecord } from './record.ts';

export interface Swarm {
  readonly home: Home;
  readonly env: NodeJS.ProcessEnv;
  readonly place: MachineIdentity;
  readonly cwd: string;
  readonly containment: ContainmentLevel | null;
  /** Where the loops of this machine live. */
  readonly stateRoot: string;
  /** The command line that starts this program again. */
  readonly self: readonly [string, ...string[]];
  readonly ralph: RalphSide;
  /** A line on stdout. */
  say(line: string): void;
  /** A line on stderr, which begins with `swarm: `. */
  warn(line: string): void;
  /** Text as it is, on stdout. */
  show(text: string): void;
}

/** What a Ralph loop wants to know of its worker's fate. */
export interface RalphSide {
  /** Is the worker's loop being turned now? */
  isTurning(name: string): boolean;
  /** Has the worker a loop that has begun to work and is not over, whether or not it is turned now? */
  isUnfinished(name: string): boolean;
  /** How often the sandbox of the worker's loop has refused it something. */
  refusals(record: WorkerRecord): number;
  /** The worker was killed: the loop stops. `removeState`: and leaves nothing. */
  killed(record: WorkerRecord, how: { readonly removeState: boolean }): Promise<void>;
}

/** An error that a person can act on: `swarm: error: <message>`. */
export function refused(message: string, exitCode = 1, hint?: string): RalphError {
  return new RalphError('SWARM', message, { exitCode, ...(hint === undefined ? {} : { hint }) });
}

export function notFound(name: string, exitCode = 1): RalphError {
  return refused(`worker '${name}' not found`, exitCode);
}

/** Not all at the same moment: contenders that look in step would go on meeting. */
const LOOK_EVERY_AT_MOST: Duration = 20;

interface Turn {
  readonly folder: string;
  readonly purpose: string;
  readonly patience: Duration;
}

/** Does something while holding a lock, and waits for its turn. */
export async function locked<T>({ place }: Swarm, turn: Turn, work: () => Promise<T> | T): Promise<T> {
  const lock = await take(turn, place);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

async function take({ folder, purpose, patience }: Turn, place: MachineIdentity): Promise<Lock> {
  const deadline = performance.now() + patience;
  for (;;) {
    const attempt = tryLock(folder, purpose, place);
    if (attempt.got) return attempt.lock;
    const { holder, foreign, file } = attempt;
    if (foreign) {
      const where = `${holder.purpose}, pid ${holder.pid} on another machine or in another container`;
      throw refused(`locked by ${where}`, 1, `If that process is gone, remove ${file}`);
    }
    if (performance.now() > deadline) throw refused(`locked by ${holder.purpose}, pid ${holder.pid}`);
    await sleep(1 + Math.random() * LOOK_EVERY_AT_MOST);
  }
}
