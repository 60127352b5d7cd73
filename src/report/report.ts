/** What loops did while you were away: folds their timelines once, for all output formats. Pure. */
import { describeLeft, endingDetails, type Mark } from '../core/closing/closing-summary.ts';
import { questionOf } from '../core/state.ts';
import { linesOf } from '../core/text/lines-of.ts';
import type { Duration, Instant } from '../core/time.ts';
import type { ReadableLoop } from '../engine/store/loop-store.ts';
import { conditionOf, type LoopCondition } from '../views/loop-condition.ts';
import { isAsking, isResumable, resumeFlags } from '../views/resumable.ts';
import type { Iteration } from '../views/timeline/iteration.ts';
import { NOTHING_SPENT, type Spent, spentTogether } from '../views/timeline/spent.ts';
import type { Timeline } from '../views/timeline/timeline.ts';

export interface Report {
  readonly from: Instant;
  readonly to: Instant;
  /** First those that need a person, then those that failed, are running, and are done. */
  readonly loops: readonly LoopReport[];
  readonly totals: Spent & { readonly workedMs: Duration; readonly waitedMs: Duration };
}

export interface LoopReport {
  readonly id: string;
  /** The name that lists show. */
  readonly name: string;
  readonly kind: string;
  readonly place: string;
  readonly agent: string | null;
  readonly task: string | null;
  readonly startedAt: Instant;
  /** When the last record was made. */
  readonly at: Instant;
  readonly mark: Mark | null;
  /** `Done in 2 iterations`, `working (claude)` */
  readonly outcome: string;
  /** Why it ended, or what it asks. */
  readonly details: readonly string[];
  readonly checks: readonly CheckReport[];
  readonly commits: readonly string[];
  /** Why runs of the agent failed, each reason once. */
  readonly faults: readonly { readonly what: string; readonly count: number }[];
  readonly workedMs: Duration;
  readonly waitedMs: Duration;
  readonly spent: Spent;
  readonly iterations: readonly Iteration[];
  /** The command to run next; null if there is nothing to do. */
  readonly next: string | null;
}

/** The results of a check over all iterations. */
export interface CheckReport {
  readonly label: string;
  readonly passed: number;
  readonly failed: number;
  /** How it ended the last time, such as `exit 1`; null if it passed. */
  readonly last: string | null;
}

export interface Reported {
  readonly loop: ReadableLoop;
  readonly name: string;
  readonly place: string;
  readonly timeline: Timeline;
}

export function reportOf(
  reported: readonly Reported[],
  { from, to }: Pick<Report, 'from' | 'to'>,
  clock: (at: Instant) => string,
): Report {
  const loops = reported.map((one) => loopReport(one, clock)).sort((a, b) => rankOf(a) - rankOf(b) || b.at - a.at);
  const sum = (figure: 'workedMs' | 'waitedMs'): Duration => loops.reduce((ms, loop) => ms + loop[figure], 0);
  const spent = loops.map((loop) => loop.spent).reduce(spentTogether, NOTHING_SPENT);
  return { from, to, loops, totals: { ...spent, workedMs: sum('workedMs'), waitedMs: sum('waitedMs') } };
}

const RANKS: readonly (Mark | null)[] = ['needs-you', 'failed', null, 'done'];
const rankOf = ({ mark }: LoopReport): number => RANKS.indexOf(mark);

function loopReport({ loop, name, place, timeline }: Reported, clock: (at: Instant) => string): LoopReport {
  const { id, loopKind: kind, agent, task, startedAt, at, iterations, totals, ending } = timeline;
  const condition = conditionOf(loop, clock);
  const left = ending === null ? null : describeLeft(ending, iterations.length);
  const { workedMs, waitedMs, agentMs: _agent, checksMs: _checks, ...spent } = totals;
  return {
    id,
    name,
    kind,
    place,
    agent,
    task,
    startedAt,
    at,
    mark: left?.mark ?? MARK_OF[condition.is],
    outcome: left?.outcome ?? condition.words,
    details: ending === null ? linesOf(questionOf(loop)) : endingDetails(ending, clock),
    checks: checksOf(iterations),
    commits: iterations.flatMap(({ commit }) => commit ?? []),
    faults: counted(iterations.flatMap(({ faults }) => faults)),
    workedMs: Math.max(0, workedMs - waitedMs),
    waitedMs,
    spent,
    iterations,
    next: nextOf(loop, name),
  };
}

/** A loop that is running needs no mark. */
const MARK_OF: Readonly<Record<LoopCondition['is'], Mark | null>> = {
  'needs-you': 'needs-you',
  working: null,
  waiting: null,
  left: 'needs-you',
  failed: 'failed',
  done: 'done',
};

function nextOf(loop: ReadableLoop, name: string): string | null {
  if (isAsking(loop)) return `ralph answer ${name} "…"`;
  return isResumable(loop) && loop.supervisor === null ? `ralph resume ${name}${resumeFlags(loop)}` : null;
}

function checksOf(iterations: readonly Iteration[]): CheckReport[] {
  const rows = iterations.flatMap(({ checks }) => checks);
  return [...new Set(rows.map(({ label }) => label))].map((label) => {
    const own = rows.filter((row) => row.label === label);
    const last = own.at(-1);
    const passed = own.filter((row) => row.passed).length;
    return { label, passed, failed: own.length - passed, last: last === undefined || last.passed ? null : last.how };
  });
}

function counted(words: readonly string[]): { what: string; count: number }[] {
  return [...new Set(words)].map((what) => ({ what, count: words.filter((one) => one === what).length }));
}
