/** Hears an agent's output, and looks at its screen, for the done pattern; the echo of its own prompt does not count. */
import { readFileSync } from 'node:fs';
import { parseDonePattern } from '../../../tmux/done-pattern/done-pattern.ts';
import { type DoneMatcher, doneMatcher } from '../../../tmux/done-pattern/match.ts';

export function listenForDone(pattern: string | null, promptFile: string): DoneMatcher {
  return pattern === null ? NO_PATTERN : doneMatcher(parseDonePattern(pattern), readFileSync(promptFile, 'utf8'));
}

const NO_PATTERN: DoneMatcher = { push: () => false, look: () => false, end: () => false, isTooSlow: false };

export function isDonePattern(pattern: string): boolean {
  try {
    parseDonePattern(pattern);
    return true;
  } catch {
    // It says why to whoever gives it on the command line; here only that it is none.
    return false;
  }
}
