/** Finds the possible answers that a question itself lists, for buttons. Pure. */
import { oneLine } from '../core/notice.ts';

/** The number of buttons that ntfy shows, and the letters that fit on one. */
const MOST = 3;
const LONGEST = 40;

/** Lines that begin with `1) …`, `b. …` or `- …`, or `(yes/no)` at the end; none if a list is too long for buttons. */
export function answerOptions(question: string): string[] {
  const listed = [...question.matchAll(/^[ \t]*(?:[-*•]|\(?(?:\d|[a-hA-H])[.):])[ \t]+(\S.*)$/gm)].map(
    ([, text = '']) => text,
  );
  const [, slashed = ''] = /[([]([^()[\]\n]*\/[^()[\]\n]*)[)\]][\s.?!]*$/.exec(question) ?? [];
  const found = listed.length > 1 ? listed : slashed.split('/');
  const options = found.map((text) => oneLine(text, 400)).filter((text) => text !== '');
  const isList = options.length > 1 && options.length <= MOST && options.every((text) => text.length <= LONGEST);
  return isList ? options : [];
}
