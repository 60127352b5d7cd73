/** What a loop has come to so far, for the sentences at its end. Decides nothing. */
import { sameResponse } from '../../core/claims/tag.ts';

export interface Tally {
  /** How often the agent said that it was done. */
  readonly saidDone: number;
  /** How often all guardrails were green. */
  readonly green: number;
  /** What the agent said instead of the response, where only blanks made the difference. */
  readonly almostDone: string | null;
}

export const NO_TALLY: Tally = { saidDone: 0, green: 0, almostDone: null };

export function addResponse(tally: Tally, heard: string | null, expected: string): Tally {
  if (sameResponse(heard, expected)) return { ...tally, saidDone: tally.saidDone + 1 };
  return isAlmost(heard, expected) ? { ...tally, almostDone: heard } : tally;
}

export function addGreen(tally: Tally): Tally {
  return { ...tally, green: tally.green + 1 };
}

/** The seed compares the whole content of the tag: with blanks around it, it is another one. */
export function isAlmost(heard: string | null, expected: string): boolean {
  return heard !== null && !sameResponse(heard, expected) && sameResponse(heard.trim(), expected.trim());
}
