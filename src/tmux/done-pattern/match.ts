/**
 * Looks for the done pattern in what a pane prints, as it comes, and on its screen; never in the echo of the prompt.
 * Each attempt sees a bounded text and takes a bounded time, whatever the pattern.
 */
import { createContext, Script } from 'node:vm';
import type { Duration } from '../../core/time.ts';
import { promptEcho } from './echo.ts';
import { terminalText } from './text.ts';

export interface DoneMatcher {
  /** The next bytes of the pane's output. True from the first match on. */
  push(chunk: Uint8Array): boolean;
  /** A captured screen: agents that draw only what changed write no whole lines. */
  look(screen: string): boolean;
  /** Nothing more comes: what stands at the end is the end. */
  end(): boolean;
  /** The pattern took too long on some text, which then counts as without a match. */
  readonly isTooSlow: boolean;
}

/** A match may be so long, and may begin anywhere in the text before. */
const LONGEST_MATCH = 8 * 1024;
const LONGEST_STEP = 8 * 1024;
const LONGEST_ATTEMPT: Duration = 250;
/** Stands behind a text that may go on, so that nothing takes its end for the end. */
const MORE_MAY_COME = '\0';

export function doneMatcher(pattern: RegExp, prompt: string): DoneMatcher {
  const echo = promptEcho(prompt);
  const search = boundedSearch(pattern, LONGEST_ATTEMPT);
  const plain = terminalText();
  /** Its first character was looked at before: it is there so that `^` and `\b` know what stood before the rest. */
  let window = '';
  let hasContext = false;
  let isFound = false;

  /** Only a match that is still one without the prompt counts. */
  const findIn = (text: string, from: number, isWhole: boolean): boolean => {
    const ending = isWhole ? '' : MORE_MAY_COME;
    let rest = text;
    // Each round takes an echo away, so there are not many.
    for (let start = from; ; ) {
      const match = search.find(rest + ending, start);
      if (match === null) return false;
      const without = echo.without(rest, match.from, match.to, isWhole);
      if (without === rest) return true;
      if (without === null) start = Math.max(match.to, match.from + 1);
      else rest = without;
    }
  };
  const findWith = (added: string): boolean => {
    window += added;
    const found = findIn(window, hasContext ? 1 : 0, false);
    if (window.length > LONGEST_MATCH) {
      window = window.slice(-LONGEST_MATCH);
      hasContext = true;
    }
    return found;
  };

  return {
    get isTooSlow() {
      return search.isTooSlow;
    },
    push(chunk) {
      if (isFound) return true;
      const text = plain.push(chunk);
      for (let at = 0; at < text.length; at += LONGEST_STEP) {
        if (!findWith(text.slice(at, at + LONGEST_STEP))) continue;
        isFound = true;
        break;
      }
      return isFound;
    },
    look(screen) {
      isFound ||= findIn(screen, 0, true);
      return isFound;
    },
    end() {
      isFound ||= findIn(window, hasContext ? 1 : 0, true);
      return isFound;
    },
  };
}

/** A pattern that backtracks without end can only be stopped from outside of the search: by a deadline of the engine's. */
function boundedSearch(pattern: RegExp, deadline: Duration) {
  // One that repeats at most once cannot go wrong in a text of this length, and a deadline costs as much as ten searches.
  const repetitions = pattern.source.match(/[*+]|\{\d+,/g)?.length ?? 0;
  const exec = repetitions <= 1 ? (text: string) => pattern.exec(text) : execWithin(pattern, deadline);
  const search = {
    isTooSlow: false,
    find(text: string, from: number): { readonly from: number; readonly to: number } | null {
      pattern.lastIndex = from;
      try {
        const match = exec(text);
        return match === null ? null : { from: match.index, to: match.index + match[0].length };
      } catch (error) {
        // An Error of the other context is no instance of ours.
        if ((error as { code?: unknown } | null)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
        search.isTooSlow = true;
        return null;
      }
    },
  };
  return search;
}

function execWithin(pattern: RegExp, deadline: Duration): (text: string) => RegExpExecArray | null {
  const sandbox: { pattern: RegExp; text: string; match: RegExpExecArray | null } = { pattern, text: '', match: null };
  const context = createContext(sandbox);
  const script = new Script('match = pattern.exec(text)');
  return (text) => {
    sandbox.text = text;
    script.runInContext(context, { timeout: deadline });
    return sandbox.match;
  };
}
