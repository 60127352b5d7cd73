/**
 * What a stories loop keeps between its records, and what its steps are given and give. Verdicts are kept as data, not as
 * texts: a release with other checks must still fold an older journal, and a key in a text would be hidden in the journal.
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
  /** A run of all commands that is going on; no stories wait for it where the list was complete before any agent ran. */
  readonly verifying: { readonly stories: readonly string[]; readonly red: readonly RedCheck[] } | null;
  readonly verified: Readonly<{ iteration: number; commands: readonly string[]; red: readonly RedCheck[] }> | null;
  /** What the loop saw last, null where a person may have edited since; and before it stood still, null unless it just did. */
  readonly seen: { readonly last: SeenFiles | null; readonly beforePause: SeenFiles | null };
  /** A person's answer, until an iteration that counts has heard it. */
  readonly answer: string | null;
  readonly lastFailure: string | null;
  /** The last iteration whose run came to an end; 0 before the first. */
  readonly ranIn: number;
  /** What each story has cost, by its id, and what of the loop's cost is in that. */
  readonly storyCosts: Readonly<Record<string, number>>;
  readonly chargedUsd: number;
  readonly proof: Proofs;
  /** Why nothing will be proved although it was to be, where that was possible; null otherwise. */
  readonly unproved: string | null;
}

export type RedCheck = Pick<Checked, 'outcome' | 'log' | 'output' | 'truncated'> & { readonly command: string };

/** What the reader of the inputs is given. */
export type InputsGiven = StoriesData['seen'] & { readonly setAside: readonly string[] };

/** The name of a copy in the loop's own folder; null where there was no file that can be read. */
export type CopyName = string | null;

export type SeenFiles = { readonly tasks: CopyName; readonly prd: CopyName };

export interface StoriesInputs extends SeenFiles {
  readonly prompt: string;
  readonly promptCopy: CopyName;
  readonly list: ListState;
  /** As it was last seen, where what changed since may not: no agent ran, and the loop was not paused. */
  readonly between: (SeenFiles & { readonly reason: string }) | null;
  readonly inPause?: readonly string[];
  readonly pluginDir: string | null;
  readonly verifyCommands?: readonly string[];
}

export type ListState =
  | { readonly is: 'invalid'; readonly reason: string; readonly hint?: string }
  | { readonly is: 'complete' }
  /** Nothing can be done: every open story waits for another one. */
  | { readonly is: 'waiting'; readonly reason: string }
  | { readonly is: 'open'; readonly mode: IterationMode; readonly story: ChosenStory };

export type ChosenStory = Pick<Story, 'id' | 'title' | 'reviewCount'>;

export interface Marked {
  readonly head: string | null;
  /** Names the content of the code; null where it was not looked at. */
  readonly code: string | null;
  /** The top folder; null where there is none, or its history is gone; undefined where git could not be asked. */
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
  /** `approved`: a copy of the list in which the story is, marked. */
  | (Omit<AtCap, 'reason'> &
      Readonly<Pick<Changes, 'isComplete' | 'countBefore'>> & { readonly kind: 'at-cap'; readonly approved: string });

/** `head`: where the iteration began; null where none had. */
export interface PutBackGiven extends SeenFiles, Pick<Running, 'head'> {
  readonly why: 'tampered' | 'failed' | 'interrupted' | 'no-fix' | 'uncounted' | 'between';
}

export type Committed = { readonly commit: string | null; readonly problem: string | null };
type PutBack = Committed & { readonly kept: readonly string[] };
/** Given by a step that found a copy of the loop's own changed. */
export type Spoilt = { readonly spoilt: string };
type StoryStep<Given, Gave> = { readonly given: Readonly<Given>; readonly gave: Gave | Spoilt };

type TellGiven = Readonly<{ kind: 'blocked' | 'decision'; reason: string; iteration: number; at: number }>;

/** `mark` and `judge` look, the others change the project. */
export type StoriesSteps = ProofSteps & {
  readonly mark: StoryStep<MarkGiven, Marked>;
  readonly judge: StoryStep<JudgeGiven, Judged>;
  readonly 'prompt-back': StoryStep<{ prompt: CopyName; head: string | null }, PutBack>;
  readonly 'put-back': StoryStep<PutBackGiven, PutBack>;
  readonly approve: StoryStep<{ story: string; approved: CopyName }, PutBack>;
  /** It is given the list in which the stories are approved, and gives the list as it is then. */
  readonly 'send-back': StoryStep<
    { stories: readonly string[]; tasks: CopyName; feedback: string; skipReview: boolean; isProof?: true },
    Committed & { readonly tasks: CopyName; readonly complete: number }
  >;
  readonly tell: { readonly given: TellGiven; readonly gave: null };
};

export type StoriesStep = keyof StoriesSteps;
export type Given<What extends StoriesStep> = StoriesSteps[What]['given'];
/** What a step gives where the loop's own copies are whole. */
export type Gave<What extends StoriesStep> = Exclude<StoriesSteps[What]['gave'], Spoilt>;

/** Of what a command printed: most tests say at the end what is wrong. */
export const KEPT_OUTPUT = { keepChars: 4000, keeps: 'end' } as const;

export const STUCK_WARNING = 3;
export const MAX_EMPTY = 3;
export const EMPTY_REPLIES = `${MAX_EMPTY} consecutive empty responses`;

export function withoutCommit(iterations: number): string {
  return `${iterations} ${iterations === 1 ? 'iteration' : 'iterations in a row'} without a commit`;
}

/** A story that the loop has not reviewed yet may have been reviewed by an earlier one: the file tells. */
export function reviewsOf({ reviews }: StoriesData, { id, reviewCount }: Omit<ChosenStory, 'title'>): number {
  return Object.hasOwn(reviews, id) ? (reviews[id] ?? 0) : reviewCount;
}

export function costOf({ storyCosts }: Pick<StoriesData, 'storyCosts'>, id: string): number {
  return Object.hasOwn(storyCosts, id) ? (storyCosts[id] ?? 0) : 0;
}

/** The stories that have cost what one may (`--max-cost-per-story`): no agent works on them any more. */
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

/** A gap is a mistake of the rules. */
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
