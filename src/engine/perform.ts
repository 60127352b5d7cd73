/** The contract between the driver and whoever does the work of an action. */
import type { Action } from '../core/action.ts';
import type { AgentEvent } from '../core/events.ts';
import type { Result } from '../core/record.ts';
import type { Readiness } from '../process/follow.ts';

export type Perform = (action: Action, at: PerformAt) => Promise<Performed>;

export interface PerformAt {
  /** Do it no longer: what was begun is undone or ended, and the result is `interrupted`. */
  readonly signal: AbortSignal;
  progress(event: AgentEvent): void;
  /** May more progress come now? */
  readonly ready: Readiness;
}

export interface Performed {
  readonly result: Result;
  readonly attempt: number;
}
