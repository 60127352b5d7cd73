/** Extends the time line of a running loop, which ends with its last record, to the present. Pure. */
import type { Instant } from '../core/time.ts';
import type { ReadableLoop } from '../engine/store/loop-store.ts';
import { isTurned } from './loop-words.ts';
import type { Iteration, Times } from './timeline/iteration.ts';
import type { Timeline } from './timeline/timeline.ts';

/** Adds the time since the last record to the running iteration and to the totals. */
export function untilNow(timeline: Timeline, loop: ReadableLoop, now: Instant): Timeline {
  const { iterations, totals, at } = timeline;
  const last = iterations.at(-1);
  const ms = Math.max(0, now - at);
  // Between two iterations, there is no row to extend.
  if (last === undefined || last.endedAt !== null || !isTurned(loop) || ms === 0) return timeline;
  const longer = <Some extends Times>(times: Some): Some => ({
    ...times,
    workedMs: times.workedMs + ms,
    ...SPANS[loop.phase.at]?.(times, ms),
  });
  const running: Iteration = longer(last);
  return { ...timeline, iterations: [...iterations.slice(0, -1), running], totals: longer(totals) };
}

/** Which figure grows in which phase. */
const SPANS: Readonly<Partial<Record<ReadableLoop['phase']['at'], (times: Times, ms: number) => Partial<Times>>>> = {
  await: ({ agentMs }, ms) => ({ agentMs: agentMs + ms }),
  check: ({ checksMs }, ms) => ({ checksMs: checksMs + ms }),
  wait: ({ waitedMs }, ms) => ({ waitedMs: waitedMs + ms }),
};
