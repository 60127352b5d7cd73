/** Reads `NAME=value` before a command, and `NAME=(…)`. */
import { type Cursor, charAt, isAtEnd, take } from './cursor.ts';
import type { Assignment, Unit, Word } from './syntax.ts';
import { readWord } from './words.ts';

const HEAD = /^([A-Za-z_]\w*)(?:\[[^\]\n]*\])?\+?=/;
const LONGEST_HEAD = 200;

/** Null where none begins. */
export function readAssignment(cursor: Cursor): Assignment | null {
  const [head, name] = HEAD.exec(cursor.text.slice(cursor.at, cursor.at + LONGEST_HEAD)) ?? [];
  if (head === undefined || name === undefined) return null;
  cursor.at += head.length;
  return { name, value: take(cursor, '(') ? readArray(cursor) : (readWord(cursor) ?? []) };
}

/** A list's words, one after the other with spaces between: what `${list[@]}` would give. */
function readArray(cursor: Cursor): Word {
  const units: Unit[] = [];
  while (!isAtEnd(cursor) && !take(cursor, ')')) {
    const word = readWord(cursor);
    if (word === null) cursor.at++;
    else units.push(...(units.length === 0 ? [] : [space()]), ...word);
    while (charAt(cursor) === ' ') cursor.at++;
  }
  return units;
}

/** The word's text, as far as it is text. */
export function literalOf(word: Word): string {
  return word.map((unit) => (unit.kind === 'text' ? unit.text : '')).join('');
}

export function isWord(word: Word, text: string): boolean {
  return word.every((unit) => unit.kind === 'text' && !unit.isQuoted) && literalOf(word) === text;
}

function space(): Unit {
  return { kind: 'text', text: ' ', isQuoted: true };
}
