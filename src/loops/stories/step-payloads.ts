/**
 * What the looks of a stories loop give its rules. Verdicts are kept as data, not the texts that were judged: a release with
 * other checks must still fold an older journal, and a key in a text would be hidden in the journal.
 */
import type { IterationMode } from './list/allowed-changes.ts';
import type { Changes } from './list/judge.ts';

/** The name of a copy in the loop's own folder; null where there was no file that can be read. */
export type CopyName = string | null;

/** What the list and the PRD were when the loop looked. */
export interface SeenFiles {
  readonly tasks: CopyName;
  readonly prd: CopyName;
}

export interface StoriesInputs extends SeenFiles {
  readonly prompt: string;
  readonly promptCopy: CopyName;
  readonly list: ListState;
  /** What changed since the last look and may not, since no agent ran and the loop was not paused. */
  readonly between: Between | null;
  /** What was approved in the pause before this. */
  readonly inPause?: readonly string[];
  readonly pluginDir: string | null;
  /** What the loop itself runs before an approval counts; absent in older journals, whose loops ran nothing. */
  readonly verifyCommands?: readonly string[];
}

export type ListState =
  | { readonly is: 'invalid'; readonly reason: string; readonly hint?: string }
  | { readonly is: 'complete' }
  /** Nothing can be done: every open story waits for another one. */
  | { readonly is: 'waiting'; readonly reason: string }
  | { readonly is: 'open'; readonly mode: IterationMode; readonly story: ChosenStory };

export interface SeenBefore {
  /** What the loop saw last; null where a person may have edited since. */
  readonly last: SeenFiles | null;
  /** What it saw before it stood still; null unless it just did. */
  readonly beforePause: SeenFiles | null;
}

export interface Between extends SeenFiles {
  readonly reason: string;
}

export interface ChosenStory {
  readonly id: string;
  readonly title: string;
  readonly reviewCount: number;
}

export interface Marked {
  readonly head: string | null;
  /** Names the content of the code; null where it was not looked at. */
  readonly code: string | null;
  /**
   * The top folder of the repository; absent in older journals. Null where there is none, or after a run one that does not
   * know the commit any more that the iteration began with.
   */
  readonly repository?: string | null | undefined;
}

/** What an iteration began with. */
export interface Running extends SeenFiles, Omit<Marked, 'repository'> {
  readonly mode: IterationMode;
  readonly story: ChosenStory;
  readonly prompt: CopyName;
  readonly beganAt: number;
}

export interface JudgeGiven {
  readonly mode: IterationMode;
  readonly story: string;
  readonly before: CopyName;
  readonly reviews: Readonly<Record<string, number>>;
  readonly reviewCap: number;
  readonly skipReview: boolean;
  readonly head?: string | null;
}

export interface Judged extends SeenFiles, Marked {
  readonly prompt: CopyName;
  readonly verdict: KeptVerdict;
  readonly complete: number;
  readonly total: number;
}

export type KeptVerdict =
  | (Omit<Changes, 'countBefore'> & {
      readonly kind: 'legal';
      readonly isComplete: boolean;
      readonly countBefore?: number;
      /** The stories that pass since this iteration; in older journals only `approved` tells. */
      readonly passed?: readonly string[];
    })
  | { readonly kind: 'no-verdict' | 'undocumented' | 'illegal'; readonly reason: string }
  | {
      readonly kind: 'at-cap';
      readonly story: string;
      readonly approved: string;
      /** The reviewer approved it, and did not mark what is left to say. */
      readonly wasApproved?: boolean;
      readonly isComplete: boolean;
      readonly countBefore?: number;
    };

export interface PutBackGiven extends SeenFiles {
  readonly why: 'tampered' | 'failed' | 'interrupted' | 'no-fix' | 'uncounted' | 'between';
  /** Where the iteration began; null where none had. */
  readonly head: string | null;
}

/** What became of a commit of the harness's own. */
export interface Committed {
  readonly commit: string | null;
  readonly problem: string | null;
}

export interface PutBack extends Committed {
  readonly kept: readonly string[];
}

/** Given by a step that found a copy of the loop's own changed. */
export interface Spoilt {
  readonly spoilt: string;
}

interface StoryStep<Given, Gave> {
  readonly given: Readonly<Given>;
  readonly gave: Gave | Spoilt;
}

type StoryList = { readonly tasks: CopyName };

/** `mark` and `judge` look, the others change the project. */
export type StoriesSteps = {
  readonly mark: StoryStep<
    StoryList & { iteration: number; mode: IterationMode; story: string; stuckCount: number },
    Marked
  >;
  readonly judge: StoryStep<JudgeGiven, Judged>;
  readonly 'prompt-back': StoryStep<{ prompt: CopyName; head: string | null }, PutBack>;
  readonly 'put-back': StoryStep<PutBackGiven, PutBack>;
  /** `approved`: a copy of the list in which the story is. */
  readonly approve: StoryStep<{ story: string; approved: CopyName }, PutBack>;
  /** It is given the list in which the stories are approved, and gives the list as it is then. */
  readonly 'send-back': StoryStep<
    StoryList & { stories: readonly string[]; feedback: string; skipReview: boolean },
    Committed & StoryList & { readonly complete: number }
  >;
  readonly tell: {
    readonly given: Readonly<{ kind: 'blocked' | 'decision'; reason: string; iteration: number; at: number }>;
    readonly gave: null;
  };
};

export type StoriesStep = keyof StoriesSteps;
export type Given<What extends StoriesStep> = StoriesSteps[What]['given'];
/** What a step gives where the loop's own copies are whole. */
export type Gave<What extends StoriesStep> = Exclude<StoriesSteps[What]['gave'], Spoilt>;
