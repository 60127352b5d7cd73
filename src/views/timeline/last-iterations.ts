/** What the last iterations of a loop came to, folded record by record: of a long journal, only their records are kept. */
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

/** At most so many of them. `last` gives null where there was no record. */
export function lastIterations(machine: Pick<LoopMachine<unknown>, 'asked' | 'stepSummary'>, most: number) {
  let first: Recorded | null = null;
  /** Of those that were let go: what was asked then, where HEAD stood, and when the next iteration began. */
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
      // Those around them may look like iterations of their own.
      const begun = kept.filter(hasBegun).length;
      return { iterations: iterations.slice(iterations.length - begun), earlier };
    },
  };
}
