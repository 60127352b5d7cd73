/** Where a quoted text ends. Tasks hold quotes of their own, so the first one that looks like an end need not be it. */

const isSpaceOrEnd = (char: string | undefined): boolean => char === undefined || /\s/.test(char);

/** The first quote of its kind that a word ends with; null when there is none. */
export function closingQuote(text: string, opening: number, quote = text[opening] ?? ''): number | null {
  for (let at = text.indexOf(quote, opening + 1); at >= 0; at = text.indexOf(quote, at + 1)) {
    if (closes(text, at)) return at;
    // The last one of its kind, behind a backslash: of a path, since there is nothing that it could be escaped in.
    if (isEscapedEnd(text, at) && !text.includes(quote, at + 1)) return at;
  }
  return null;
}

/**
 * The task that begins with a quote and ends with one before the flags or the end of the line; null when there is none.
 * The first quote that only good flags follow is the end: no flag may ever become a part of the task. Where what follows
 * looks like flags but is not in order, inner quotes are told apart as a reader does: one at a word's beginning opens, one
 * at its end closes; behind the outermost it is a mistake to be told, behind an inner one it is text. Where another quote is
 * opened when all were closed, as in "Fix" and "Test", the quotes are words' own, and none is around the task.
 */
export function quotedTask(
  text: string,
  opening: number,
  isOnlyFlags: (from: number) => boolean,
): { readonly task: string; readonly end: number } | null {
  const quote = text[opening];
  if (quote !== '"' && quote !== "'") return null;
  let depth = 1;
  let isReopened = false;
  let firstEnd: number | null = null;
  for (let at = text.indexOf(quote, opening + 1); at >= 0; at = text.indexOf(quote, at + 1)) {
    if (closes(text, at)) {
      // One that closes nothing else is the task's own end after all.
      isReopened &&= depth > 0;
      depth = Math.max(depth - 1, 0);
      // Behind the outermost quote also what only looks like a flag: it is told, and not taken for text.
      if (isReopened && depth === 0 && mayFollow(text, at + 1)) return null;
      if (depth === 0 && looksLikeFlag(text, at + 1)) return { task: text.slice(opening + 1, at), end: at + 1 };
      if (!mayFollow(text, at + 1)) continue;
      firstEnd ??= at;
      if (depth === 0 || isOnlyFlags(at + 1)) return { task: text.slice(opening + 1, at), end: at + 1 };
    } else if (isEscapedEnd(text, at) && isOnlyFlags(at + 1) && isEven(text, at + 1, quote)) {
      // A task that ends with a backslash.
      return { task: text.slice(opening + 1, at), end: at + 1 };
    } else if (at === opening + 1 || /\s/.test(text[at - 1] ?? '')) {
      isReopened ||= depth === 0;
      depth++;
    }
  }
  return firstEnd === null ? null : { task: text.slice(opening + 1, firstEnd), end: firstEnd + 1 };
}

function closes(text: string, at: number): boolean {
  return isSpaceOrEnd(text[at + 1]) && text[at - 1] !== '\\';
}

function isEscapedEnd(text: string, at: number): boolean {
  return isSpaceOrEnd(text[at + 1]) && text[at - 1] === '\\';
}

/** The quotes that follow can all belong to flags' values. */
function isEven(text: string, from: number, quote: string): boolean {
  return (text.slice(from).split(quote).length - 1) % 2 === 0;
}

/** Nothing more, or a flag. */
function mayFollow(text: string, from: number): boolean {
  const follows = /\s*(?:--[A-Za-z]|$)/y;
  follows.lastIndex = from;
  return follows.test(text);
}

/** One dash, or the long ones that some editors make of two. */
function looksLikeFlag(text: string, from: number): boolean {
  const follows = /\s+[-\u2010-\u2015\u2212]+[A-Za-z]/y;
  follows.lastIndex = from;
  return follows.test(text);
}
