/** The messages between a loop's supervisor and the helper of its sandbox: one line of JSON each. */

/** About a program that is about to be started. */
export interface ProgramAsked {
  readonly refusals: string;
  readonly writes: readonly string[];
  readonly isOffline: boolean;
  readonly onlyReads: boolean;
}

export type Question = { readonly id: number } & (
  | { readonly ask: 'program'; readonly program: ProgramAsked }
  /** The program has ended; the answer comes once everything that it was refused has been reported. */
  | { readonly ask: 'ended'; readonly name: string }
);

export type Answer =
  | { readonly kind: 'program'; readonly name: string; readonly words: readonly [string, ...string[]] }
  | { readonly kind: 'seen' }
  /** No program must be started; says why. */
  | { readonly kind: 'refused'; readonly reason: string };

export type Answered = { readonly id: number } & Answer;
