import type { Harness } from './harnesses/index.mjs';
import type { Scenario } from './scenarios/index.mjs';

export interface Played {
  readonly name: string;
  readonly harness: string;
  /** Why its result says nothing; null for a valid one. */
  readonly invalid: string | null;
  readonly ending: string;
  /** A person had to repair something and start it again. */
  readonly isResumed: boolean;
  readonly falseDone: boolean;
  readonly missedDone: boolean;
  /** It ended as it must, and a done was true. */
  readonly isRight: boolean;
  readonly runs: number;
  readonly wastedRuns: number;
  readonly iterations: number;
  readonly wastedIterations: number;
  readonly repeatedKeys: readonly string[];
  readonly left: readonly string[];
  readonly lost: readonly string[];
  readonly beyondMs: number;
}

export function play(scenario: Scenario, harness: Harness): Promise<Played>;
