/** Holds an agent's closing account back until its exit is known: one that says "complete" may still fail. */
import type { AgentEvent } from '../core/events.ts';

type Format = (event: AgentEvent) => string | null;

export interface HeldResult {
  readonly format: Format;
  /** What to print of the account when the run has ended; null where there is none. */
  ended(hasWorked: boolean): string | null;
}

export function holdResult(format: Format): HeldResult {
  let held: Extract<AgentEvent, { type: 'result' }> | null = null;
  return {
    format(event) {
      if (event.type !== 'result') return format(event);
      held = event;
      return null;
    },
    ended(hasWorked) {
      const result = held;
      held = null;
      return result === null ? null : format(hasWorked ? result : { ...result, isError: true });
    },
  };
}
