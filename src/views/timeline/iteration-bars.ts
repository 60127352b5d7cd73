/**
 * How long each of the last iterations took and how it ended, folded record by record, so that a list of many loops
 * does not keep their journals in memory.
 */
import type { Mark } from '../../core/closing/closing-summary.ts';
import type { LoopMachine } from '../../core/machine/machine.ts';
import type { Recorded } from '../../core/record.ts';
import type { Duration, Instant } from '../../core/time.ts';
import { timelineOf } from './timeline.ts';

export interface Bar {
  readonly ms: Duration;
  /** Null if it is neither proven nor rejected and does not wait for a person. */
  readonly mark: Mark | null;
  /** When the last record of an unfinished iteration was made; null for a finished one. */
  readonly since: Instant | null;
}

/** More than a row of any screen shows. */
const MOST_BARS = 40;

export function iterationBars(machine: Pick<LoopMachine<unknown>, 'asked' | 'stepSummary'>) {
  let first: Recorded | null = null;
  let inputs: Recorded | null = null;
  /** The last record of the previous iteration: the duration of this one's first record counts from there. */
  let before: Recorded | null = null;
  let current: Recorded[] = [];
  let number = 1;
  let over: Bar[] = [];
  let shown: readonly Bar[] | null = null;

  const barOfCurrent = (): Bar | null => {
    if (first === null) return null;
    const around = [inputs, before].filter((record) => record !== null && !current.includes(record));
    const kept = [...new Set([first, ...around, ...current])].filter((record) => record !== null);
    const iteration = timelineOf(
      kept.toSorted((a, b) => a.seq - b.seq),
      machine,
    ).iterations.findLast((one) => one.number === number);
    if (iteration === undefined) return null;
    const { workedMs, waitedMs, outcome, endedAt } = iteration;
    const since = endedAt === null ? (current.at(-1)?.at ?? null) : null;
    return { ms: workedMs - waitedMs, mark: outcome.mark, since };
  };
  return {
    take(record: Recorded): void {
      shown = null;
      if (first === null) {
        first = record;
        return;
      }
      const its = Number.parseInt(record.key, 10) || number;
      if (its !== number) {
        const bar = barOfCurrent();
        if (bar !== null) over = [...over.slice(1 - MOST_BARS), { ...bar, since: null }];
        before = current.at(-1) ?? before;
        current = [];
        number = its;
      }
      if (record.result.kind === 'inputs' && record.result.inputs !== undefined) inputs = record;
      current.push(record);
    },
    bars(): readonly Bar[] {
      if (shown !== null) return shown;
      const bar = barOfCurrent();
      shown = bar === null ? over : [...over, bar];
      return shown;
    },
  };
}
