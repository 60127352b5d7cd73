/** Finds the first `<tag>…</tag>` in text that arrives in pieces, in bounded memory. The tag's case does not matter. */
import { literally } from '../text/literal.ts';

/** More than this between the tags is no answer to a question. */
const LONGEST_CONTENT = 64 * 1024;

export function listenForTag(tag: string, multiline: boolean) {
  const open = new RegExp(`<${literally(tag)}>`, 'i');
  const close = new RegExp(`</${literally(tag)}>`, 'gi');
  const openLength = tag.length + 2;
  const closeLength = tag.length + 3;
  /** Empty, or text from a `<` on that may still become part of a tag. */
  let pending = '';
  let found: string | null = null;

  return {
    hear(text: string): void {
      // Most text holds no tag and no part of one.
      if (found !== null || (pending === '' && !text.includes('<'))) return;
      /** Up to here no closing tag stands in `pending`. */
      let searched = Math.max(0, pending.length - closeLength + 1);
      pending += text;
      for (let opening = open.exec(pending); opening !== null; opening = open.exec(pending)) {
        const inside = opening.index + openLength;
        close.lastIndex = Math.max(inside, searched);
        const end = close.exec(pending)?.index ?? null;
        const content = pending.slice(inside, end ?? pending.length);
        // The first line break, or too much text, makes it no answer; a closing tag that is still cut in two may come.
        const isBroken = !multiline && content.includes('\n');
        const isTooLong = content.length > LONGEST_CONTENT + (end === null ? closeLength - 1 : 0);
        if (!isBroken && !isTooLong) {
          if (end === null) pending = pending.slice(opening.index);
          else found = content;
          return;
        }
        pending = pending.slice(inside);
        searched = 0;
      }
      // Only a beginning of the opening tag can still matter.
      const start = pending.lastIndexOf('<');
      pending = start >= 0 && start > pending.length - openLength ? pending.slice(start) : '';
    },
    /** What stood in the first complete tag, or null. */
    heard: () => found,
    /** True while the end of the text so far could still become part of a tag. */
    isWaiting: () => found === null && pending !== '',
  };
}

/** Seed 001's rule: the whole content, in any case. */
export function sameResponse(heard: string | null, expected: string): boolean {
  return heard !== null && heard.toLowerCase() === expected.toLowerCase();
}
