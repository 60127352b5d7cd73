/** Counts what a loop has achieved so far, for its closing lines. No rule depends on it. */
import { sameResponse } from '../../core/claims/tag.ts';
import type { Published } from '../../core/record.ts';

export interface Tally {
  readonly saidDone: number;
  readonly green: number;
  /** What the agent said instead of the response, if only surrounding blanks made the difference. */
  readonly almostDone: string | null;
  /** The commits and pushes that failed, without a later one that succeeded. */
  readonly unpublished: readonly Unpublished[];
  readonly leftBehind: Published['leftBehind'] | null;
}

export interface Unpublished {
  readonly task: string;
  readonly times: number;
  /** Of the last failure. */
  readonly reason: string;
}

export const NO_TALLY: Tally = { saidDone: 0, green: 0, almostDone: null, unpublished: [], leftBehind: null };

export function addResponse(tally: Tally, heard: string | null, expected: string): Tally {
  if (sameResponse(heard, expected)) return { ...tally, saidDone: tally.saidDone + 1 };
  return isAlmost(heard, expected) ? { ...tally, almostDone: heard } : tally;
}

export function addPublished(tally: Tally, { task, status, detail, leftBehind }: Published): Tally {
  if (status === 'failed') return addUnpublished(tally, task, detail);
  const unpublished = tally.unpublished.filter((one) => one.task !== task);
  return { ...tally, unpublished, leftBehind: task === 'commit' ? (leftBehind ?? null) : tally.leftBehind };
}

export function addUnpublished(tally: Tally, task: string, reason: string): Tally {
  const before = tally.unpublished.find((one) => one.task === task)?.times ?? 0;
  const others = tally.unpublished.filter((one) => one.task !== task);
  return { ...tally, unpublished: [...others, { task, times: before + 1, reason }] };
}

/** The seed compares the exact content of the tag, so blanks around the response make it a different one. */
export function isAlmost(heard: string | null, expected: string): boolean {
  return heard !== null && !sameResponse(heard, expected) && sameResponse(heard.trim(), expected.trim());
}
