/** The outcome of an iteration, from its records, in a word or two. */
import { hasPassed } from '../../core/check.ts';
import type { Mark } from '../../core/closing/closing-summary.ts';
import type { Ending } from '../../core/ending.ts';
import type { Outcome as RunOutcome } from '../../core/outcome.ts';
import type { Result } from '../../core/record.ts';
import type { Moment } from './moments.ts';

export interface Outcome {
  readonly words: string;
  /** Null if it is neither proven nor rejected and does not wait for a person. */
  readonly mark: Mark | null;
}

interface Around {
  readonly isOver: boolean;
  /** How the loop ended, if this is its last iteration. */
  readonly ending: Ending | null;
  readonly loopKind: string;
}

export function outcomeOf(group: readonly Moment[], { isOver, ending, loopKind }: Around): Outcome {
  const ended = ending === null ? null : (ENDED[ending.kind] ?? null);
  if (ended !== null) return ended;
  // Records before the last start of the agent belong to an earlier try.
  const from = group.findLastIndex(({ key, result }) => result.kind === 'started' && isWork(key));
  const last = from < 0 ? group : group.slice(from);
  const ran = last.flatMap(({ key, result }) => (result.kind === 'ran' && isWork(key) ? [result] : [])).at(-1);
  if (ran === undefined) return withoutRun(last, ending);
  if (ran.outcome.kind === 'failed' && ran.endedBy === 'budget') return OUT_OF_BUDGET;
  if (ran.outcome.kind !== 'worked') return { words: FAILED[ran.outcome.kind], mark: MARKS_OF[ran.outcome.kind] };
  // The work is done again, so verdicts so far do not count.
  const isCutOff = last.findLast(({ result }) => !STANDS_STILL.has(result.kind))?.result.kind === 'interrupted';
  if (isCutOff) return INTERRUPTED;
  if (!isOver) return UNFINISHED;
  const isRed = last.some(({ result }) => result.kind === 'checked' && !hasPassed(result));
  const asked = last[0]?.asked;
  if (asked?.isClaimed(ran.said.tag) === true) {
    // Seed 004 checks the limit before it judges a claim.
    const isUnjudged = loopKind === 'session' && ending?.kind === 'iteration-limit' && !isRed;
    return { words: `${asked.claim} ${isUnjudged ? 'not judged' : 'rejected'}`, mark: 'failed' };
  }
  if (isRed) return { words: 'checks red', mark: 'failed' };
  const judged = last.findLast(({ summary }) => summary?.words !== undefined)?.summary;
  if (judged?.words !== undefined) return { words: judged.words, mark: judged.isProven === true ? 'done' : null };
  return { words: asked?.claim === undefined ? 'worked' : `no ${asked.claim}`, mark: null };
}

/** The record belongs to a run that does the work, not to one that writes a commit message. */
export const isWork = (key: string): boolean => /^\d+\/work\//.test(key);

const STANDS_STILL: ReadonlySet<Result['kind']> = new Set(['waited', 'ended', 'continued']);

const UNFINISHED: Outcome = { words: 'unfinished', mark: null };
const OUT_OF_BUDGET: Outcome = { words: 'out of budget', mark: 'needs-you' };
const INTERRUPTED: Outcome = { words: 'interrupted', mark: 'needs-you' };

function withoutRun(last: readonly Moment[], ending: Ending | null): Outcome {
  if (last.some(({ result }) => result.kind === 'unstartable')) return { words: 'not started', mark: 'failed' };
  if (last.some(({ result }) => result.kind === 'interrupted')) return INTERRUPTED;
  return ending?.kind === 'stopped' ? { words: 'stopped', mark: 'needs-you' } : UNFINISHED;
}

/** Endings that say more about the last iteration than its run does. */
const ENDED: Readonly<Partial<Record<Ending['kind'], Outcome>>> = {
  done: { words: 'done', mark: 'done' },
  unpublished: { words: 'not published', mark: 'needs-you' },
  blocked: { words: 'blocked', mark: 'needs-you' },
  decision: { words: 'needs decision', mark: 'needs-you' },
  waiting: { words: 'waits for you', mark: 'needs-you' },
  tampered: { words: 'tampered', mark: 'failed' },
};

type Unsuccessful = Exclude<RunOutcome['kind'], 'worked'>;

const FAILED: Readonly<Record<Unsuccessful, string>> = {
  failed: 'failed',
  limit: 'limit',
  auth: 'auth',
  infrastructure: 'fault',
  hang: 'hang',
  blocked: 'blocked',
  tampered: 'tampered',
  interrupted: 'interrupted',
};

const MARKS_OF: Readonly<Record<Unsuccessful, Mark>> = {
  failed: 'failed',
  limit: 'needs-you',
  auth: 'needs-you',
  infrastructure: 'failed',
  hang: 'failed',
  blocked: 'needs-you',
  tampered: 'failed',
  interrupted: 'needs-you',
};
