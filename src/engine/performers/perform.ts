/** The contract between the driver and what performs an action. */
import type { Action } from '../../core/action.ts';
import type { AgentEvent } from '../../core/events.ts';
import type { Result } from '../../core/record.ts';
import type { StepTypes } from '../../core/rules.ts';
import type { Readiness } from '../../process/follow.ts';

export type Perform = (action: Action, at: PerformAt) => Promise<Performed>;

/** Does the steps of a loop kind's own: what the rules give comes in, what their `after` takes goes out. */
export type StepPerformers<Steps extends StepTypes> = {
  readonly [What in keyof Steps & string]: (given: Steps[What]['given'], at: StepAt) => Promise<Steps[What]['gave']>;
};

export interface StepAt extends PerformAt {
  /** The action's key. */
  readonly key: string;
}

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
