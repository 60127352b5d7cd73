/** The last iterations of a loop, folded record by record: of a long journal, only their records stay in memory. */
import type { LoopMachine } from '../../core/machine/machine.ts';
import type { Recorded } from '../../core/record.ts';
import type { Iteration } from './iteration.ts';
import { hasBegun, headAfter } from './moments.ts';
import { timelineOf } from './timeline.ts';

export interface LastIterations {
  readonly iterations: readonly Iteration[];
  /** How many came before them. */
  readonly earlier: number;
}

/** Keeps at most `most` iterations. `last` returns null if there was no record. */
export function lastIterations(machine: Pick<LoopMachine<unknown>, 'asked' | 'stepSummary'>, most: number) {
  let first: Recorded | null = null;
  /** Dropped records that the kept ones depend on: the last inputs, the last HEAD, and the last one, for its time. */
  let inputs: Recorded | null = null;
  let head: Recorded | null = null;
  let before: Recorded | null = null;
  let earlier = 0;
  /** The records of each iteration, in their order. */
  const kept: Recorded[][] = [];
  let number = 0;

  const letGo = (records: readonly Recorded[]): void => {
    inputs = records.findLast(({ result }) => result.kind === 'inputs' && result.inputs !== undefined) ?? inputs;
    head = records.findLast(({ result }) => headAfter(result) !== undefined) ?? head;
    before = records.findLast(({ result }) => result.kind !== 'left') ?? before;
    if (hasBegun(records)) earlier++;
  };
  return {
    take(record: Recorded): void {
      if (first === null) {
        first = record;
        return;
      }
      const its = Number.parseInt(record.key, 10) || number || 1;
      const current = kept.at(-1);
      if (its === number && current !== undefined) current.push(record);
      else {
        while (kept.filter(hasBegun).length > most) letGo(kept.shift() ?? []);
        kept.push([record]);
        number = its;
      }
    },
    last(): LastIterations | null {
      if (first === null) return null;
      while (kept.filter(hasBegun).length > most) letGo(kept.shift() ?? []);
      const around = [...new Set([inputs, head, before])].filter((record) => record !== null);
      const { iterations } = timelineOf([first, ...around.toSorted((a, b) => a.seq - b.seq), ...kept.flat()], machine);
      // The records in `around` may look like iterations of their own.
      const begun = kept.filter(hasBegun).length;
      return { iterations: iterations.slice(iterations.length - begun), earlier };
    },
  };
}
