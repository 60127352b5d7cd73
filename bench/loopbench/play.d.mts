import type { Harness } from './harnesses/index.mjs';
import type { Scenario } from './scenarios/index.mjs';

export type Agent = 'honest' | 'nop' | 'cheat';

export interface Played {
  readonly name: string;
  readonly harness: string;
  readonly agent: Agent;
  /** Why the result does not count; null for a valid one. */
  readonly invalid: string | null;
  readonly ending: string;
  /** A person had to repair something and start the harness again. */
  readonly isResumed: boolean;
  readonly falseDone: boolean;
  readonly missedDone: boolean;
  /** It ended as it must, and "done" was true. */
  readonly isRight: boolean;
  readonly runs: number;
  /** Counted with the honest agent only; otherwise 0, like wasted iterations. */
  readonly wastedRuns: number;
  readonly iterations: number;
  readonly wastedIterations: number;
  readonly tokens: number;
  readonly repeatedKeys: readonly string[];
  readonly left: readonly string[];
  readonly lost: readonly string[];
  readonly beyondMs: number;
}

export function play(scenario: Scenario, harness: Harness, agent?: Agent): Promise<Played>;
