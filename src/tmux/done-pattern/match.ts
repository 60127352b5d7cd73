/** Searches a pane's output and its screen for the done pattern, ignoring the echo of the prompt; in bounded time. */
import { createContext, Script } from 'node:vm';
import type { Duration } from '../../core/time.ts';
import { terminalText } from './text.ts';

/** How long a match can be: this much of the earlier text is kept, in which it can begin. */
const LONGEST_MATCH = 8 * 1024;
const LONGEST_STEP = 8 * 1024;
const LONGEST_ATTEMPT: Duration = 250;
/** Appended to a text that may continue, so that no pattern takes its end for the end of the output. */
const MORE_MAY_COME = '\0';

export function doneMatcher(pattern: RegExp, prompt: string) {
  const withoutEcho = echoRemover(prompt);
  const exec = boundedSearch(pattern);
  const plain = terminalText();
  /** With `hasContext`, the first character was searched before: it is kept for `^` and `\b`. */
  let window = '';
  let hasContext = false;
  let isFound = false;
  let isTooSlow = false;

  const search = (text: string, from: number): Span | null => {
    pattern.lastIndex = from;
    try {
      const match = exec(text);
      return match === null ? null : { from: match.index, to: match.index + match[0].length };
    } catch (error) {
      // An error from the other context is not an instance of our Error.
      if ((error as { code?: unknown } | null)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      isTooSlow = true;
      return null;
    }
  };
  /** A match counts only if it is still one after the echo of the prompt is removed. */
  const findIn = (text: string, from: number, isWhole: boolean): boolean => {
    const ending = isWhole ? '' : MORE_MAY_COME;
    let rest = text;
    // Each round removes an echo, so there are not many.
    for (let start = from; ; ) {
      const match = search(rest + ending, start);
      if (match === null) return false;
      const without = withoutEcho(rest, match, isWhole);
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
    /** The pattern took too long on some text, which then counts as not matching. */
    get isTooSlow() {
      return isTooSlow;
    },
    /** Takes the next bytes of the pane's output. True from the first match on. */
    push(chunk: Uint8Array): boolean {
      const text = isFound ? '' : plain.push(chunk);
      for (let at = 0; at < text.length && !isFound; at += LONGEST_STEP) {
        isFound = findWith(text.slice(at, at + LONGEST_STEP));
      }
      return isFound;
    },
    /** Takes a captured screen: agents that draw only what changed write no whole lines. */
    look(screen: string): boolean {
      isFound ||= findIn(screen, 0, true);
      return isFound;
    },
    /** No more output comes: the end of the text is the end of the output. */
    end(): boolean {
      isFound ||= findIn(window, hasContext ? 1 : 0, true);
      return isFound;
    },
  };
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** A pattern that backtracks without end can only be stopped from outside the search: by a deadline of the engine. */
function boundedSearch(pattern: RegExp): (text: string) => RegExpExecArray | null {
  // With at most one repetition, a search is fast in a text of this length, and a deadline costs as much as ten
  // searches.
  const repetitions = pattern.source.match(/[*+]|\{\d+,/g)?.length ?? 0;
  if (repetitions <= 1) return (text) => pattern.exec(text);
  const sandbox: { pattern: RegExp; text: string; match: RegExpExecArray | null } = { pattern, text: '', match: null };
  const context = createContext(sandbox);
  const script = new Script('match = pattern.exec(text)');
  return (text) => {
    sandbox.text = text;
    script.runInContext(context, { timeout: LONGEST_ATTEMPT });
    return sandbox.match;
  };
}

/** Spaces, the lines and blocks that frames are drawn with, markdown characters, and those that mark a message. */
const DECORATION = /[\s\u2500-\u259f\u200b`*_#>|~❯›•●-]/u;
/** This many characters in a row are needed to begin a comparison, and this many beyond a match make it an echo. */
const GRAM = 8;
/** For a prompt that repeats itself, the first places are enough. */
const PLACES = 64;

/**
 * Removes those parts of the prompt that reach beyond the match. An agent may show the prompt wrapped, framed, in part
 * or without its markdown, so the two are compared without such characters. Words that are also in the prompt, but
 * appear here by themselves, are the agent's own. Null: more output is needed to tell.
 */
function echoRemover(prompt: string): (text: string, match: Span, isWhole: boolean) => string | null {
  const wanted = squeeze(prompt).text;
  const gram = Math.min(GRAM, wanted.length);
  let index: Map<string, number[]> | null = null;
  return (text, { from, to }, isWhole) => {
    if (gram === 0) return text;
    index ??= placesOf(wanted, gram);
    const { text: shown, at: positions } = squeeze(text);
    let out = '';
    let kept = 0;
    for (let at = 0; at + gram <= shown.length; ) {
      const { length, place } = longestRun(shown, at, wanted, index.get(shown.slice(at, at + gram)) ?? []);
      const [start, end] = [positions[at] ?? 0, (positions[at + length - 1] ?? 0) + 1];
      const concerns = length > 0 && start < to && end > from;
      // An echo from the prompt's beginning continues on the next line; one from its middle, at least to the end of a
      // line.
      const mayGoOn = at + length === shown.length && place + length < wanted.length;
      if (concerns && mayGoOn && !isWhole && (place === 0 || !text.includes('\n', end))) return null;
      const outside = positions.slice(at, at + length).filter((position) => position < from || position >= to);
      if (length === wanted.length || (concerns && outside.length >= GRAM)) {
        out += `${text.slice(kept, start)}\n`;
        kept = end;
      }
      at += Math.max(1, length);
    }
    return out + text.slice(kept);
  };
}

function longestRun(shown: string, at: number, wanted: string, places: readonly number[]) {
  let best = { length: 0, place: 0 };
  for (const place of places) {
    let length = 0;
    while (at + length < shown.length && shown[at + length] === wanted[place + length]) length += 1;
    if (length > best.length) best = { length, place };
  }
  return best;
}

/** Includes the original position of each character. */
function squeeze(text: string) {
  const at = Array.from({ length: text.length }, (_, i) => i).filter((i) => !DECORATION.test(text.charAt(i)));
  return { text: at.map((i) => text.charAt(i)).join(''), at };
}

/** Where in the text each piece of this length occurs. */
function placesOf(text: string, length: number): Map<string, number[]> {
  const index = new Map<string, number[]>();
  for (let at = 0; at + length <= text.length; at++) {
    const piece = text.slice(at, at + length);
    const places = index.get(piece) ?? [];
    if (places.length < PLACES) index.set(piece, [...places, at]);
  }
  return index;
}
