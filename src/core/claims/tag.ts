/** Finds the first `<tag>…</tag>` in text that arrives in pieces, in bounded memory. Case does not matter. */
import { literally } from '../text/literal.ts';

/** Longer content between the tags is not an answer. */
const LONGEST_CONTENT = 64 * 1024;

/**
 * `skipsQuoted`: ignore a tag in quotation marks in the middle of a sentence, which is only talked about. On a line of
 * its own it counts, with or without quotation marks.
 */
export function listenForTag(tag: string, multiline: boolean, skipsQuoted = false) {
  const open = new RegExp(`<${literally(tag)}>`, 'i');
  const close = new RegExp(`</${literally(tag)}>`, 'gi');
  const openLength = tag.length + 2;
  const closeLength = tag.length + 3;
  /** Empty, or the text since a `<` that may still become part of a tag. */
  let pending = '';
  let found: string | null = null;
  /** The end of the current line, up to `pending`. */
  let before = '';
  const drop = (length: number): void => {
    if (skipsQuoted) before = lineEnd(before + pending.slice(0, length));
    pending = pending.slice(length);
  };

  return {
    hear(text: string): void {
      // Fast path: most text contains no part of a tag.
      if (found !== null || (pending === '' && !text.includes('<'))) {
        if (skipsQuoted) before = lineEnd(before + text);
        return;
      }
      /** Up to here, `pending` contains no closing tag. */
      let searched = Math.max(0, pending.length - closeLength + 1);
      pending += text;
      for (let opening = open.exec(pending); opening !== null; opening = open.exec(pending)) {
        const inside = opening.index + openLength;
        close.lastIndex = Math.max(inside, searched);
        const end = close.exec(pending)?.index ?? null;
        const content = pending.slice(inside, end ?? pending.length);
        // A line break (if not allowed) or too much text makes it no answer. The closing tag can still arrive in two
        // pieces.
        const isBroken = !multiline && content.includes('\n');
        const isTooLong = content.length > LONGEST_CONTENT + (end === null ? closeLength - 1 : 0);
        const isQuoted = skipsQuoted && QUOTED.test(lineEnd(before + pending.slice(0, opening.index)));
        if (!isBroken && !isTooLong && !isQuoted) {
          if (end === null) drop(opening.index);
          else found = content;
          return;
        }
        drop(inside);
        searched = 0;
      }
      // Only the beginning of an opening tag can still matter.
      const start = pending.lastIndexOf('<');
      drop(start >= 0 && start > pending.length - openLength ? start : pending.length);
    },
    /** The content of the first complete tag, or null. */
    heard: () => found,
    /** True while the end of the text so far could still become part of a tag. */
    isWaiting: () => found === null && pending !== '',
  };
}

/** A word, and an opening quotation mark at the end. */
const QUOTED = /\w.*["'`“‘«]$/;
const LINE_KEPT = 200;

const lineEnd = (text: string): string => text.slice(text.lastIndexOf('\n') + 1).slice(-LINE_KEPT);

/** Seed 001's rule: the content must match as a whole; case does not matter. */
export function sameResponse(heard: string | null, expected: string): boolean {
  return heard !== null && heard.toLowerCase() === expected.toLowerCase();
}
