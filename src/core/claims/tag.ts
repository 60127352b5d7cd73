/** Finds the first `<tag>…</tag>` in text that arrives in pieces, in bounded memory. The tag's case does not matter. */
import { literally } from '../text/literal.ts';

/** More than this between the tags is no answer to a question. */
const LONGEST_CONTENT = 64 * 1024;

export interface TagListener {
  hear(text: string): void;
  /** What stood in the first complete tag, or null. */
  heard(): string | null;
  /** True while the end of the text so far could still become part of a tag. */
  isWaiting(): boolean;
}

export function listenForTag(tag: string, multiline: boolean): TagListener {
  const open = new RegExp(`<${literally(tag)}>`, 'gi');
  const close = new RegExp(`</${literally(tag)}>`, 'gi');
  const openLength = tag.length + 2;
  const closeLength = tag.length + 3;
  let pending = '';
  /** Where in `pending` the content of an open tag begins; -1 while none is open. */
  let inside = -1;
  /** Up to here no closing tag stands in `pending`. */
  let searched = 0;
  let found: string | null = null;

  const findOpening = (from: number): boolean => {
    open.lastIndex = from;
    const opening = open.exec(pending);
    if (opening === null) {
      // Only a beginning of the opening tag can still matter.
      const start = pending.lastIndexOf('<');
      pending = start >= Math.max(from, pending.length - openLength + 1) ? pending.slice(start) : '';
      inside = -1;
      return false;
    }
    inside = opening.index + openLength;
    searched = inside;
    return true;
  };
  /** True when the search goes on behind an opening tag that turned out to be none. */
  const findClosing = (): boolean => {
    close.lastIndex = searched;
    const closing = close.exec(pending);
    const end = closing?.index ?? pending.length;
    // The first line break, or too much text, makes it no answer; a closing tag that is still cut in two may come.
    const lineBreak = multiline ? -1 : pending.indexOf('\n', searched);
    const isBroken = lineBreak >= 0 && lineBreak < end;
    const isTooLong = end - inside > LONGEST_CONTENT + (closing === null ? closeLength - 1 : 0);
    if (isBroken || isTooLong) return findOpening(inside);
    if (closing !== null) found = pending.slice(inside, end);
    else {
      searched = Math.max(inside, pending.length - closeLength + 1);
      pending = pending.slice(inside - openLength);
      searched -= inside - openLength;
      inside = openLength;
    }
    return false;
  };

  return {
    hear(text) {
      // Most text holds no tag and no part of one.
      if (found !== null || (pending === '' && !text.includes('<'))) return;
      pending += text;
      if (inside < 0 && !findOpening(0)) return;
      while (findClosing());
    },
    heard: () => found,
    isWaiting: () => found === null && pending !== '',
  };
}

/** Seed 001's rule: the whole content, in any case. */
export function sameResponse(heard: string | null, expected: string): boolean {
  return heard !== null && heard.toLowerCase() === expected.toLowerCase();
}
