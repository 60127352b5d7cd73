import type { Harness } from './harnesses/index.mjs';
import type { HarnessResult } from './print/table.mjs';
import type { Scenario } from './scenarios/index.mjs';

interface Told {
  say(line: string): void;
  show?(result: HarnessResult): void;
}

export function compare(
  scenarios: readonly Scenario[],
  harnesses: readonly Harness[],
  told: Told,
): Promise<HarnessResult[]>;
