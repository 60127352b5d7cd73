/** Finds the first `<tag>…</tag>` in text that arrives in pieces, in bounded memory. The tag's case does not matter. */
import { literally } from '../literal.ts';

/** More than this between the tags is no answer to a question. */
const LONGEST_CONTENT = 64 * 1024;

export interface TagListener {
  hear(text: string): void;
  /** What stood in the first complete tag, or null. */
  heard(): string | null;
}

export function listenForTag(tag: string, multiline: boolean): TagListener {
  const open = new RegExp(`<${literally(tag)}>`, 'i');
  const close = new RegExp(`</${literally(tag)}>`, 'i');
  const openLength = tag.length + 2;
  let pending = '';
  let found: string | null = null;

  const scan = (): void => {
    for (;;) {
      const start = open.exec(pending);
      if (start === null) {
        // Only a beginning of the opening tag can still matter.
        pending = pending.slice(-(openLength - 1));
        return;
      }
      const inside = pending.slice(start.index + openLength);
      const end = close.exec(inside);
      const content = end === null ? inside : inside.slice(0, end.index);
      if (content.length > LONGEST_CONTENT || (!multiline && content.includes('\n'))) {
        // Not an answer: the search goes on right behind this opening tag.
        pending = inside;
        continue;
      }
      if (end !== null) found = content;
      else pending = pending.slice(start.index);
      return;
    }
  };

  return {
    hear(text) {
      if (found !== null || text === '') return;
      pending += text;
      scan();
    },
    heard: () => found,
  };
}

/** Seed 001's rule: the whole content, in any case. */
export function sameResponse(heard: string | null, expected: string): boolean {
  return heard !== null && heard.toLowerCase() === expected.toLowerCase();
}
