import type { Harness } from '../harnesses/index.mjs';
import type { Agent, Played } from '../play.mjs';
import type { Reference } from '../reference.mjs';
import type { Scenario } from '../scenarios/index.mjs';

export interface Row {
  readonly scenario: Scenario;
  readonly reference: Reference;
  /** Null for an invalid scenario, which was not played. */
  readonly played: Readonly<Record<Agent, Played>> | null;
}

export interface HarnessResult {
  readonly harness: Harness;
  readonly rows: readonly Row[];
}

export function tableOf(rows: readonly Row[]): string;
export function closingLine(rows: readonly Row[]): string;
