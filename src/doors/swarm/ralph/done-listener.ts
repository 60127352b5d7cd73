/** Hears an agent's output for the done pattern; the echo of its own prompt does not count. */
import { readFileSync } from 'node:fs';
import { donePatternMatcher } from '../../../tmux/done-pattern.ts';

export interface DoneListener {
  /** True once the output so far has matched. */
  hear(chunk: Buffer): boolean;
  hasHeard(): boolean;
}

export function listenForDone(pattern: string | null, promptFile: string): DoneListener {
  if (pattern === null) return { hear: () => false, hasHeard: () => false };
  const matcher = donePatternMatcher(pattern, readFileSync(promptFile, 'utf8'));
  let heard = false;
  return {
    hear(chunk) {
      heard ||= matcher.push(chunk);
      return heard;
    },
    hasHeard: () => heard,
  };
}
