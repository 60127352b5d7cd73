import type { Scenario } from './scenarios.mjs';

export interface Played {
  readonly name: string;
  readonly exit: number | null;
  readonly saysDone: boolean;
  readonly falseDone: boolean;
  readonly missedDone: boolean;
  readonly calls: number;
  readonly repeatedKeys: readonly string[];
  readonly left: readonly string[];
  readonly beyondMs: number;
}

export function play(scenario: Scenario): Promise<Played>;
