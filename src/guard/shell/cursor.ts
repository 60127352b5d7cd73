/** A place in the text of a script, and what its reading has left to do. */
import type { Redirection, Script } from './syntax.ts';

export interface Cursor {
  readonly text: string;
  at: number;
  depth: number;
  /** Here-documents whose text begins after the next newline. */
  readonly awaited: { readonly redirection: Redirection; readonly delimiter: string; readonly isRaw: boolean }[];
  /** Reads commands up to a closing `)`. The grammar and the words need each other; this is how words reach it. */
  readonly script: (cursor: Cursor) => Script;
}

/** Deeper nesting than people write; what lies beneath is not looked at. */
export const DEEPEST = 60;

export function charAt(cursor: Cursor, offset = 0): string {
  return cursor.text.charAt(cursor.at + offset);
}

export function isAtEnd(cursor: Cursor): boolean {
  return cursor.at >= cursor.text.length;
}

export function looksAt(cursor: Cursor, text: string): boolean {
  return cursor.text.startsWith(text, cursor.at);
}

/** Takes the text if it is next. */
export function take(cursor: Cursor, text: string): boolean {
  const isThere = looksAt(cursor, text);
  if (isThere) cursor.at += text.length;
  return isThere;
}

/** Takes everything up to the text, and the text; without it, the rest. */
export function takeUntil(cursor: Cursor, text: string): string {
  const end = cursor.text.indexOf(text, cursor.at);
  const taken = cursor.text.slice(cursor.at, end === -1 ? undefined : end);
  cursor.at = end === -1 ? cursor.text.length : end + text.length;
  return taken;
}

/** The same grammar over another text. */
export function inside(cursor: Cursor, text: string): Cursor {
  return { text, at: 0, depth: cursor.depth + 1, awaited: [], script: cursor.script };
}
