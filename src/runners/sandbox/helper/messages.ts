/** What a loop's supervisor and the helper of its sandbox say to each other: a line of JSON each. */

/** For a program that is started next. */
export interface ProgramAsked {
  readonly refusals: string;
  readonly writes: readonly string[];
  readonly isOffline: boolean;
  readonly onlyReads: boolean;
}

export type Question = { readonly id: number } & (
  | { readonly ask: 'program'; readonly program: ProgramAsked }
  /** It has ended; the answer comes when all that it was refused is told. */
  | { readonly ask: 'ended'; readonly name: string }
);

export type Answer =
  | { readonly kind: 'program'; readonly name: string; readonly words: readonly [string, ...string[]] }
  | { readonly kind: 'seen' }
  /** No program is to be started: why. */
  | { readonly kind: 'refused'; readonly reason: string };

export type Answered = { readonly id: number } & Answer;
