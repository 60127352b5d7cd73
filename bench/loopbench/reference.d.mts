import type { Agent } from './play.mjs';
import type { Scenario } from './scenarios/index.mjs';

export interface Reference {
  /** Why no harness can be judged by this scenario; null for a valid one. */
  readonly invalid: string | null;
  /** The tokens that the honest agent uses without a harness. */
  readonly tokens: number;
}

export const AGENTS: readonly Agent[];
export function reference(scenario: Scenario): Promise<Reference>;
