/**
 * The state of a stories loop, and what its steps take and return. Verdicts are recorded as data, not derived again
 * from the list's text: a release with other checks must still read older journals, and keys in a recorded text would
 * be masked.
 */

import type { LoopTerms } from '../../core/budget/terms.ts';
import type { Checked } from '../../core/check.ts';
import type { Ending } from '../../core/ending.ts';
import type { Proofs } from '../../core/proof/claims.ts';
import type { ProofSteps } from '../../core/proof/proof.ts';
import type { Ran } from '../../core/record.ts';
import type { LoopRules, Step } from '../../core/rules.ts';
import type { AtCap, IterationMode } from './list/allowed-changes.ts';
import type { Changes } from './list/judge.ts';
import type { Promised } from './list/mode.ts';
import type { Story } from './list/tasks.ts';
import type { StoriesRequest } from './request.ts';

export interface StoriesData {
  readonly request: StoriesRequest;
  readonly inputs: StoriesInputs | null;
  /** The iteration that has begun and is not finished yet; it survives a crash. */
  readonly running: Running | null;
  readonly ran: Ran | null;
  readonly judged: Judged | null;
  readonly pending: PutBackGiven | null;
  /** Why the last iteration did not count, for the next prompt. */
  readonly note: string | null;
  /** The harness's own count of reviews, by story id. */
  readonly reviews: Readonly<Record<string, number>>;
  readonly tamperedInARow: number;
  readonly emptyInARow: number;
  readonly stuckCount: number;
  readonly promised: Promised | null;
  /** The top folder of the repository that the loop works in; null if there was none so far. */
  readonly repository: string | null;
  /** The run of all commands that is under way. `stories` is empty if the list was complete before any agent ran. */
  readonly verifying: { readonly stories: readonly string[]; readonly red: readonly RedCheck[] } | null;
  readonly verified: Readonly<{ iteration: number; commands: readonly string[]; red: readonly RedCheck[] }> | null;
  /**
   * `last`: the files as the loop last saw them, null if a person may have edited them since. `beforePause`: as they
   * were before a standstill, null unless one has just ended.
   */
  readonly seen: { readonly last: SeenFiles | null; readonly beforePause: SeenFiles | null };
  /** A person's answer, until an iteration that counts has received it. */
  readonly answer: string | null;
  readonly lastFailure: string | null;
  /** The last iteration whose run ended; 0 before the first. */
  readonly ranIn: number;
  /** What each story has cost, by id. `chargedUsd`: how much of the loop's cost is charged to stories so far. */
  readonly storyCosts: Readonly<Record<string, number>>;
  readonly chargedUsd: number;
  readonly proof: Proofs;
  /** Why nothing will be proved, although that seemed possible (`provesIfPossible`); null otherwise. */
  readonly unproved: string | null;
}

export type RedCheck = Pick<Checked, 'outcome' | 'log' | 'output' | 'truncated'> & { readonly command: string };

/** What the rules give to the reader of the inputs. */
export type InputsGiven = StoriesData['seen'] & { readonly setAside: readonly string[] };

/** The name of a copy in the loop's own folder; null if there was no readable file. */
export type CopyName = string | null;

export type SeenFiles = { readonly tasks: CopyName; readonly prd: CopyName };

export interface StoriesInputs extends SeenFiles {
  readonly prompt: string;
  readonly promptCopy: CopyName;
  readonly list: ListState;
  /** The files as last seen, if they have changed in a forbidden way while no agent ran and the loop was not paused. */
  readonly between: (SeenFiles & { readonly reason: string }) | null;
  readonly inPause?: readonly string[];
  readonly pluginDir: string | null;
  readonly verifyCommands?: readonly string[];
}

export type ListState =
  | { readonly is: 'invalid'; readonly reason: string; readonly hint?: string }
  | { readonly is: 'complete' }
  /** Every open story waits for another one. */
  | { readonly is: 'waiting'; readonly reason: string }
  | { readonly is: 'open'; readonly mode: IterationMode; readonly story: ChosenStory };

export type ChosenStory = Pick<Story, 'id' | 'title' | 'reviewCount'>;

export interface Marked {
  readonly head: string | null;
  /** A hash of the code; null if it was not computed. */
  readonly code: string | null;
  /** The top folder; null if there is no repository, or its history is gone; undefined if git could not run. */
  readonly repository?: string | null | undefined;
}

export interface Running extends SeenFiles, Omit<Marked, 'repository'> {
  readonly mode: IterationMode;
  readonly story: ChosenStory;
  readonly prompt: CopyName;
  readonly beganAt: number;
}

type MarkGiven = { iteration: number; mode: IterationMode; story: string; tasks: CopyName; stuckCount: number };
export type JudgeGiven = Pick<Running, 'mode' | 'story' | 'tasks' | 'head'> &
  Pick<StoriesRequest, 'reviewCap' | 'skipReview'> &
  Pick<StoriesData, 'reviews'>;

export interface Judged extends SeenFiles, Marked {
  readonly prompt: CopyName;
  readonly verdict: KeptVerdict;
  readonly complete: number;
  readonly total: number;
}

export type KeptVerdict =
  | (Readonly<Changes> & { readonly kind: 'legal' })
  | { readonly kind: 'no-verdict' | 'undocumented' | 'illegal'; readonly reason: string }
  /** `approved`: the name of a copy of the list in which the story is approved and marked. */
  | (Omit<AtCap, 'reason'> &
      Readonly<Pick<Changes, 'isComplete' | 'countBefore'>> & { readonly kind: 'at-cap'; readonly approved: string });

/** `head`: the commit at which the iteration began; null if no iteration had. */
export interface PutBackGiven extends SeenFiles, Pick<Running, 'head'> {
  readonly why: 'tampered' | 'failed' | 'interrupted' | 'no-fix' | 'uncounted' | 'between';
}

export type Committed = { readonly commit: string | null; readonly problem: string | null };
type PutBack = Committed & { readonly kept: readonly string[] };
/** Returned by a step that found one of the loop's own copies changed. */
export type Spoilt = { readonly spoilt: string };
type StoryStep<Given, Gave> = { readonly given: Readonly<Given>; readonly gave: Gave | Spoilt };

type TellGiven = Readonly<{ kind: 'blocked' | 'decision'; reason: string; iteration: number; at: number }>;

/** `mark` and `judge` only look; the others change the project. */
export type StoriesSteps = ProofSteps & {
  readonly mark: StoryStep<MarkGiven, Marked>;
  readonly judge: StoryStep<JudgeGiven, Judged>;
  readonly 'prompt-back': StoryStep<{ prompt: CopyName; head: string | null }, PutBack>;
  readonly 'put-back': StoryStep<PutBackGiven, PutBack>;
  readonly approve: StoryStep<{ story: string; approved: CopyName }, PutBack>;
  /** Takes the list in which the stories are approved, and returns the list as it is afterwards. */
  readonly 'send-back': StoryStep<
    { stories: readonly string[]; tasks: CopyName; feedback: string; skipReview: boolean; isProof?: true },
    Committed & { readonly tasks: CopyName; readonly complete: number }
  >;
  readonly tell: { readonly given: TellGiven; readonly gave: null };
};

export type StoriesStep = keyof StoriesSteps;
export type Given<What extends StoriesStep> = StoriesSteps[What]['given'];
/** What a step returns if the loop's own copies are intact. */
export type Gave<What extends StoriesStep> = Exclude<StoriesSteps[What]['gave'], Spoilt>;

/** How much of a command's output is kept: most test runners say at the end what is wrong. */
export const KEPT_OUTPUT = { keepChars: 4000, keeps: 'end' } as const;

export const STUCK_WARNING = 3;
export const MAX_EMPTY = 3;
export const EMPTY_REPLIES = `${MAX_EMPTY} consecutive empty responses`;

export function withoutCommit(iterations: number): string {
  return `${iterations} ${iterations === 1 ? 'iteration' : 'iterations in a row'} without a commit`;
}

/** If this loop has not reviewed the story yet, an earlier one may have: then the count in the file is used. */
export function reviewsOf({ reviews }: StoriesData, { id, reviewCount }: Omit<ChosenStory, 'title'>): number {
  return Object.hasOwn(reviews, id) ? (reviews[id] ?? 0) : reviewCount;
}

export function costOf({ storyCosts }: Pick<StoriesData, 'storyCosts'>, id: string): number {
  return Object.hasOwn(storyCosts, id) ? (storyCosts[id] ?? 0) : 0;
}

/** The stories that have reached `--max-cost-per-story`: no agent works on them any more. */
export function setAside({ storyCosts }: Pick<StoriesData, 'storyCosts'>, { budget }: LoopTerms): readonly string[] {
  const most = budget?.costPerStoryUsd ?? Number.POSITIVE_INFINITY;
  return Object.keys(storyCosts).filter((id) => costOf({ storyCosts }, id) >= most);
}

export function commandsOf({ request, inputs }: Pick<StoriesData, 'request' | 'inputs'>): readonly string[] {
  return request.verify ? (inputs?.verifyCommands ?? []) : [];
}

export type StoriesRules = LoopRules<StoriesData, StoriesSteps, StoriesRequest, StoriesInputs>;
export type Result = Step<StoriesData, StoriesStep>;

export function ended(data: StoriesData, ending: Ending): Result {
  return { data, go: { to: 'end', ending } };
}

export function stepTo(data: StoriesData, what: StoriesStep): Result {
  return { data, go: { to: 'step', what } };
}

export function putBack(data: StoriesData, why: PutBackGiven['why']): Result {
  const { tasks, prd, head } = known(data, 'running');
  return stepTo({ ...data, pending: { why, tasks, prd, head } }, 'put-back');
}

export function isComplete(judged: Judged | null): boolean {
  const verdict = judged?.verdict;
  return (verdict?.kind === 'legal' || verdict?.kind === 'at-cap') && verdict.isComplete;
}

/** Throws if the field is not set, which is a bug in the rules. */
export function known<Field extends keyof StoriesData>(data: StoriesData, field: Field) {
  const value = data[field];
  if (value == null) throw new Error(`the rules asked for ${field} too early`);
  return value;
}

export function openListOf(data: StoriesData) {
  const { list } = known(data, 'inputs');
  if (list.is !== 'open') throw new Error(`a list that is ${list.is} has nothing to begin`);
  return list;
}
