/** Reads `2>/dev/null`, `>>file`, `&>x`, `<<EOF`, `<<<text`, and the texts of here-documents. */
import { type Cursor, charAt, inside, isAtEnd, looksAt } from './cursor.ts';
import type { Redirection, Unit, Word } from './syntax.ts';
import { readQuoted, readWord } from './words.ts';

const OPERATOR = /^(?:\d*|\{\w+\})(&>>|&>|<<<|<<-|<<|<>|<&|>>|>&|>\||<|>)/;
const LONGEST_OPERATOR = 40;

/** Null where none begins. */
export function readRedirection(cursor: Cursor): Redirection | null {
  if (!'<>&{0123456789'.includes(charAt(cursor)) || isAtEnd(cursor)) return null;
  const [all = '', operator] = OPERATOR.exec(cursor.text.slice(cursor.at, cursor.at + LONGEST_OPERATOR)) ?? [];
  // `<(` and `>(` are words.
  if (operator === undefined || (all.length === 1 && charAt(cursor, 1) === '(')) return null;
  cursor.at += all.length;
  while (charAt(cursor) === ' ' || charAt(cursor) === '\t') cursor.at++;
  const target = readWord(cursor) ?? [];
  const redirection: Redirection = { operator, target, body: null };
  if (operator === '<<' || operator === '<<-') {
    const isRaw = target.some((unit) => unit.kind !== 'text' || unit.isQuoted);
    const delimiter = target.map((unit) => (unit.kind === 'text' ? unit.text : '')).join('');
    cursor.awaited.push({ redirection, delimiter, isRaw });
  }
  return redirection;
}

/** At the beginning of a line: the texts that the line before has asked for. */
export function readHereDocuments(cursor: Cursor): void {
  for (const { redirection, delimiter, isRaw } of cursor.awaited.splice(0)) {
    const lines: string[] = [];
    while (!isAtEnd(cursor)) {
      const line = takeLine(cursor);
      const bare = redirection.operator === '<<-' ? line.replace(/^\t+/, '') : line;
      if (bare.replace(/\r$/, '') === delimiter) break;
      lines.push(`${bare}\n`);
    }
    redirection.body = bodyOf(cursor, lines.join(''), isRaw);
  }
}

function bodyOf(cursor: Cursor, text: string, isRaw: boolean): Word {
  const literal: Unit = { kind: 'text', text, isQuoted: true };
  const speaks = text.includes('$') || text.includes('`') || text.includes('\\');
  return isRaw || !speaks ? [literal] : readQuoted(inside(cursor, text));
}

function takeLine(cursor: Cursor): string {
  const end = cursor.text.indexOf('\n', cursor.at);
  const line = cursor.text.slice(cursor.at, end === -1 ? undefined : end);
  cursor.at = end === -1 ? cursor.text.length : end + 1;
  // `$(cat <<EOF … EOF)`: bash ends the document there as well.
  if (looksAt(cursor, ')') && end === -1) cursor.at++;
  return line;
}
