/** A time line ends with its last record: while a supervisor turns the loop, what it does now goes on. Pure. */
import type { Instant } from '../core/time.ts';
import type { ReadableLoop } from '../engine/store/loop-store.ts';
import { isTurned } from './loop-words.ts';
import type { Iteration, Times } from './timeline/iteration.ts';
import type { Timeline } from './timeline/timeline.ts';

/** With the time that its running iteration has taken so far. */
export function untilNow(timeline: Timeline, loop: ReadableLoop, now: Instant): Timeline {
  const { iterations, totals, at } = timeline;
  const last = iterations.at(-1);
  const ms = Math.max(0, now - at);
  // Between two iterations no row is about what it does.
  if (last === undefined || last.endedAt !== null || !isTurned(loop) || ms === 0) return timeline;
  const longer = <Some extends Times>(times: Some): Some => ({
    ...times,
    workedMs: times.workedMs + ms,
    ...SPANS[loop.phase.at]?.(times, ms),
  });
  const running: Iteration = longer(last);
  return { ...timeline, iterations: [...iterations.slice(0, -1), running], totals: longer(totals) };
}

/** By what the loop is at. */
const SPANS: Readonly<Partial<Record<ReadableLoop['phase']['at'], (times: Times, ms: number) => Partial<Times>>>> = {
  await: ({ agentMs }, ms) => ({ agentMs: agentMs + ms }),
  check: ({ checksMs }, ms) => ({ checksMs: checksMs + ms }),
  wait: ({ waitedMs }, ms) => ({ waitedMs: waitedMs + ms }),
};
