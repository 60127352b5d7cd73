/**
 * What the looks of a stories loop give its rules. Verdicts are kept as data, not the texts that were judged: a release with
 * other checks must still fold an older journal, and a key in a text would be hidden in the journal.
 */
import type { IterationMode } from './list/allowed-changes.ts';

/** The name of a copy in the loop's own folder; null where there was no file that can be read. */
export type CopyName = string | null;

/** What is read before every iteration. */
export interface StoriesInputs {
  readonly prompt: string;
  readonly promptCopy: CopyName;
  readonly tasks: CopyName;
  readonly prd: CopyName;
  readonly list: ListState;
  /** What changed since the last look although nobody ran and nobody paused the loop, where that may not be. */
  readonly between: Between | null;
  /** What a person, or whoever else made the pause before this, approved in it. */
  readonly inPause?: readonly string[];
  /** The plugin that the agent is to load. */
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

/** What the list and the PRD were when the loop last looked. */
export interface SeenFiles {
  readonly tasks: CopyName;
  readonly prd: CopyName;
}

/** What the reader of the inputs compares with. */
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

/** What an iteration began with. */
export interface Running {
  readonly mode: IterationMode;
  readonly story: ChosenStory;
  readonly tasks: CopyName;
  readonly prd: CopyName;
  readonly prompt: CopyName;
  readonly head: string | null;
  /** Names the content of the code; null where it was not looked at. */
  readonly code: string | null;
  readonly beganAt: number;
}

export interface Marked {
  readonly head: string | null;
  readonly code: string | null;
  /** The top folder of the repository, null where there is none; absent in older journals. */
  readonly repository?: string | null | undefined;
}

export interface JudgeGiven {
  readonly mode: IterationMode;
  readonly story: string;
  readonly before: CopyName;
  /** The harness's own counts, by the story's id. */
  readonly reviews: Readonly<Record<string, number>>;
  readonly reviewCap: number;
  readonly skipReview: boolean;
  /** The commit that the iteration began with. */
  readonly head?: string | null;
}

/** What a look after a run shows. */
export interface Judged {
  readonly tasks: CopyName;
  readonly prd: CopyName;
  readonly prompt: CopyName;
  readonly head: string | null;
  readonly code: string | null;
  /** Null, too, where there is one that does not know the commit any more that the iteration began with. */
  readonly repository?: string | null | undefined;
  readonly verdict: KeptVerdict;
  readonly complete: number;
  readonly total: number;
}

export type KeptVerdict =
  | {
      readonly kind: 'legal';
      readonly isComplete: boolean;
      readonly submitted: string | null;
      readonly approved: string | null;
      readonly sentBack: string | null;
      readonly isCapApproval: boolean;
      readonly countBefore?: number;
      /** The stories that pass since this iteration; in older journals only `approved` tells. */
      readonly passed?: readonly string[];
    }
  | { readonly kind: 'no-verdict' | 'undocumented'; readonly reason: string }
  /** `approved` is a copy of the list as the cap wants it. */
  | {
      readonly kind: 'at-cap';
      readonly story: string;
      readonly approved: string;
      /** The reviewer approved it, and did not mark what is left to say. */
      readonly wasApproved?: boolean;
      readonly isComplete: boolean;
      readonly countBefore?: number;
    }
  | { readonly kind: 'illegal'; readonly reason: string };

export type PutBackWhy = 'tampered' | 'failed' | 'interrupted' | 'no-fix' | 'uncounted' | 'between';

export interface PutBackGiven {
  readonly why: PutBackWhy;
  readonly tasks: CopyName;
  readonly prd: CopyName;
  readonly head: string | null;
}

export interface PromptBackGiven {
  readonly prompt: CopyName;
  readonly head: string | null;
}

export interface PutBack {
  /** Where the agent's versions lie now. */
  readonly kept: readonly string[];
  readonly commit: string | null;
  /** Why it could not be committed. */
  readonly problem: string | null;
}

export interface SendBackGiven {
  readonly stories: readonly string[];
  /** The list in which they are approved. */
  readonly tasks: CopyName;
  readonly feedback: string;
  readonly skipReview: boolean;
}

/** The list as it is now, and what became of the commit. */
export interface SentBack extends Omit<PutBack, 'kept'> {
  readonly tasks: CopyName;
  readonly complete: number;
}

/** Given by a step that found a copy of the loop's own changed. */
export interface Spoilt {
  readonly spoilt: string;
}

export interface TellGiven {
  readonly kind: 'blocked' | 'decision';
  readonly reason: string;
  readonly iteration: number;
  readonly at: number;
}

/** What an iteration is marked with before its agent starts. */
export interface MarkGiven {
  readonly iteration: number;
  readonly mode: IterationMode;
  readonly story: string;
  readonly tasks: CopyName;
  readonly stuckCount: number;
}

export interface ApproveGiven {
  readonly story: string;
  /** A copy of the list in which it is approved. */
  readonly approved: CopyName;
}

/** `mark` and `judge` look, the others change the project. */
export type StoriesSteps = {
  readonly mark: { readonly given: MarkGiven; readonly gave: Marked | Spoilt };
  readonly judge: { readonly given: JudgeGiven; readonly gave: Judged | Spoilt };
  readonly 'prompt-back': { readonly given: PromptBackGiven; readonly gave: PutBack | Spoilt };
  readonly 'put-back': { readonly given: PutBackGiven; readonly gave: PutBack | Spoilt };
  readonly approve: { readonly given: ApproveGiven; readonly gave: PutBack | Spoilt };
  readonly 'send-back': { readonly given: SendBackGiven; readonly gave: SentBack | Spoilt };
  readonly tell: { readonly given: TellGiven; readonly gave: null };
};

export type StoriesStep = keyof StoriesSteps;
