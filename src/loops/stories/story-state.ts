/** What a stories loop keeps between its records. */
import type { Ran } from '../../core/record.ts';
import { type LoopState, startedIterations } from '../../core/state.ts';
import type { Promised } from './list/promise.ts';
import type { StoriesRequest } from './request.ts';
import type { ChosenStory, Judged, PutBackGiven, Running, SeenBefore, StoriesInputs } from './step-payloads.ts';
import type { Verified, Verifying } from './verify-rules.ts';

export interface StoriesData {
  readonly request: StoriesRequest;
  readonly inputs: StoriesInputs | null;
  /** The iteration that has begun and is not judged yet; it outlives a crash. */
  readonly running: Running | null;
  readonly ran: Ran | null;
  readonly judged: Judged | null;
  readonly pending: PutBackGiven | null;
  /** Why the last iteration did not count, for the next prompt. */
  readonly note: string | null;
  /** The harness's own count of reviews, by the story's id. */
  readonly reviews: Readonly<Record<string, number>>;
  readonly tamperedInARow: number;
  readonly emptyInARow: number;
  readonly stuckCount: number;
  readonly promised: Promised | null;
  /** The top folder of the repository that the loop works in; null where it has seen none. */
  readonly repository: string | null;
  readonly verifying: Verifying | null;
  readonly verified: Verified | null;
  readonly seen: SeenBefore;
  /** A person's answer, until an iteration that counts has heard it. */
  readonly answer: string | null;
  /** Why the last iteration that failed did so, for the sentences at the end. */
  readonly lastFailure: string | null;
  /** The last iteration whose run came to an end; 0 before the first. */
  readonly ranIn: number;
}

/** From here on people are told that nothing is committed. */
export const STUCK_WARNING = 3;

export function withoutCommit(iterations: number): string {
  return `${iterations} ${iterations === 1 ? 'iteration' : 'iterations in a row'} without a commit`;
}

export const MOST_TAMPERED = 3;
export const MOST_EMPTY = 3;
export const EMPTY_REPLIES = `${MOST_EMPTY} consecutive empty responses`;

/** In how many iterations an agent was started: a loop may end by what it reads before the next one. */
export function iterationsWithRun(state: LoopState<StoriesData>): number {
  const { phase, iteration, tries, data } = state;
  const endedBy = phase.at === 'end' || phase.at === 'over' ? phase.ending.kind : null;
  const isByInputs = endedBy === 'stuck' || endedBy === 'blocked' || endedBy === 'configuration' || endedBy === 'done';
  const isBeforeRun = isByInputs && data.ranIn < iteration && (tries.work ?? 1) === 1;
  return isBeforeRun ? iteration - 1 : startedIterations(state);
}

/** A story that the loop has not reviewed yet may have been reviewed by an earlier one: the file tells. */
export function reviewsOf({ reviews }: StoriesData, { id, reviewCount }: ChosenStory): number {
  return Object.hasOwn(reviews, id) ? (reviews[id] ?? 0) : reviewCount;
}

export function isComplete(judged: Judged | null): boolean {
  const verdict = judged?.verdict;
  return (verdict?.kind === 'legal' || verdict?.kind === 'at-cap') && verdict.isComplete;
}

/** What the rules have seen to by now: a gap is a mistake of theirs. */
export function known<Field extends keyof StoriesData>(
  data: StoriesData,
  field: Field,
): NonNullable<StoriesData[Field]> {
  const value = data[field];
  if (value == null) throw new Error(`the rules asked for ${field} too early`);
  return value;
}
