/** What every worker command is handed: where swarm lives, whom it runs for, and how it speaks. */
import { RalphError } from '../../../core/error.ts';
import type { ContainmentLevel } from '../../../process/containment/containment.ts';
import type { MachineIdentity } from '../../../process/identity/identity.ts';
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
  /** Does somebody turn the worker's loop now? */
  isTurning(name: string): boolean;
  /** Has the worker a loop that has begun to work and is not over, whether or not somebody turns it? */
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
