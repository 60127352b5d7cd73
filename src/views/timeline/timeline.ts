/** What a loop did, iteration by iteration: one fold of its journal for every loop kind. Pure. */
import type { Ending } from '../../core/ending.ts';
import type { Recorded } from '../../core/record.ts';
import type { Instant } from '../../core/time.ts';
import { type Iteration, iterationOf, type Times, timesOf } from './iteration.ts';
import { hasBegun, type KindMachine, type Moment, momentsOf } from './moments.ts';
import { NOTHING_SPENT, type Spent, spentTogether } from './spent.ts';

export interface Timeline {
  readonly id: string;
  readonly loopKind: string;
  readonly cwd: string;
  /** The agent's command; null if the journal does not say. */
  readonly agent: string | null;
  /** The first line of what the agent was asked; null if the journal does not say. */
  readonly task: string | null;
  readonly startedAt: Instant;
  /** When the last record was made. */
  readonly at: Instant;
  readonly iterations: readonly Iteration[];
  readonly totals: Times & Spent;
  /** Null for a loop that is not over, or that was continued since. */
  readonly ending: Ending | null;
}

/** `machine`: that of the loop's kind, which knows what its records mean. */
export function timelineOf(records: readonly Recorded[], machine: KindMachine): Timeline {
  const [first] = records;
  if (first?.result.kind !== 'created') throw new Error('a journal without a first record has no timeline');
  const { id, loopKind, cwd } = first.result;
  const moments = momentsOf(records, machine);
  const last = moments.at(-1);
  const ending = last?.result.kind === 'ended' ? last.result.ending : null;
  const iterations = grouped(moments)
    .filter(hasBegun)
    .map((group, index, groups) => iterationOf(group, index + 1 === groups.length ? { ending } : null, loopKind));
  // The last inputs may lack an agent or a task: a prompt that was deleted ends the loop.
  const asked = moments.map((moment) => moment.asked);
  return {
    id,
    loopKind,
    cwd,
    agent: nameOf(asked.findLast(({ agent }) => agent !== null)?.agent ?? null),
    task: firstLine(asked.findLast(({ task }) => task !== null)?.task ?? null),
    startedAt: first.at,
    at: last?.at ?? first.at,
    iterations,
    // Includes the time before the first iteration and between iterations.
    totals: { ...timesOf(moments), ...iterations.reduce(spentTogether, NOTHING_SPENT) },
    ending,
  };
}

function grouped(moments: readonly Moment[]): Moment[][] {
  const groups: Moment[][] = [];
  for (const moment of moments) {
    const group = groups.at(-1);
    if (group?.[0]?.iteration === moment.iteration) group.push(moment);
    else groups.push([moment]);
  }
  return groups;
}

const nameOf = (command: string | null): string | null => command?.slice(command.lastIndexOf('/') + 1) ?? null;

const firstLine = (text: string | null): string | null => text && (text.trim().split('\n', 1)[0]?.trim() ?? '');
