/** What stands between the words of a script, and the words that only count where they stand alone. */
import { type Cursor, charAt, looksAt, take } from './cursor.ts';
import { readHereDocuments } from './redirections.ts';

/** Is this very word, unquoted, the next one? */
export function isWordNext(cursor: Cursor, word: string): boolean {
  if (!looksAt(cursor, word)) return false;
  const after = charAt(cursor, word.length);
  return after === '' || ' \t\r\n;&|()<>'.includes(after);
}

export function takeWord(cursor: Cursor, word: string): boolean {
  const isNext = isWordNext(cursor, word);
  if (isNext) cursor.at += word.length;
  return isNext;
}

export function skipSeparators(cursor: Cursor): void {
  do skipBlank(cursor);
  while (!looksAt(cursor, ';;') && take(cursor, ';'));
}

/** Spaces, newlines with the here-documents that wait for them, and comments. */
export function skipBlank(cursor: Cursor): void {
  for (;;) {
    skipSpaces(cursor);
    if (!take(cursor, '\n')) return;
    readHereDocuments(cursor);
  }
}

/** Spaces, joined lines and a comment, up to the end of the line. */
export function skipSpaces(cursor: Cursor): void {
  for (;;) {
    const char = charAt(cursor);
    if (char !== '' && ' \t\r'.includes(char)) cursor.at++;
    else if (looksAt(cursor, '\\\n')) cursor.at += 2;
    else if (char === '#') {
      const end = cursor.text.indexOf('\n', cursor.at);
      cursor.at = end === -1 ? cursor.text.length : end;
    } else return;
  }
}
