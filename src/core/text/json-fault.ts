/**
 * Where a text stops being JSON, and what was expected there. `JSON.parse` gives a position only in some Node releases.
 */

/** What can come next; `more`: a comma or the closing bracket. */
export type Wanted = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | 'more';

export interface JsonFault {
  readonly at: number;
  readonly wanted: Wanted;
  /** The brackets that are still open there, the outermost first. */
  readonly open: readonly { readonly bracket: '{' | '['; readonly at: number }[];
  /** The end of the last valid token before it. */
  readonly end: number;
  /** Where the string begins that has no end, or contains what no string may; null if the fault is not in one. */
  readonly string: number | null;
}

const SPACE = /[ \t\n\r]*/y;
const PLAIN = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** A string up to its closing quote, or up to a character that it must not contain. */
const STRING = /"(?:[ !#-[\]-\uffff]+|\\(?:["\\/bfnrt]|u[\da-fA-F]{4}))*/y;

/** Null if the text is JSON. */
export function jsonFault(text: string): JsonFault | null {
  const open: { bracket: '{' | '['; at: number }[] = [];
  let wanted: Wanted = 'value';
  let at = 0;
  let last = 0;
  const fault = (where: number, string: number | null = null): JsonFault => ({
    at: where,
    wanted,
    open,
    end: last,
    string,
  });
  for (;;) {
    at = after(SPACE, text, at) ?? at;
    const next = text[at] ?? 'nothing';
    const inner = open.at(-1);
    const closing = inner === undefined ? null : inner.bracket === '{' ? '}' : ']';
    const isClosing = wanted === 'more' ? next === closing : wanted.endsWith(` ${next}`);
    if (wanted === 'more' && open.length === 0) return next === 'nothing' ? null : fault(at);
    let end: number | null = at + 1;
    if (isClosing) {
      open.pop();
      wanted = 'more';
    } else if (wanted === 'more' && next === ',') wanted = closing === '}' ? 'key' : 'value';
    else if (wanted === ':' && next === ':') wanted = 'value';
    else if (wanted.startsWith('value') && (next === '{' || next === '[')) {
      open.push({ bracket: next, at });
      wanted = next === '{' ? 'key or }' : 'value or ]';
    } else if (next === '"' && wanted !== 'more' && wanted !== ':') {
      end = (after(STRING, text, at) ?? at) + 1;
      if (text[end - 1] !== '"') return fault(end - 1, at);
      wanted = wanted.startsWith('key') ? ':' : 'more';
    } else {
      end = wanted.startsWith('value') ? after(PLAIN, text, at) : null;
      if (end === null) return fault(at);
      wanted = 'more';
    }
    at = end;
    last = end;
  }
}

function after(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : null;
}

/** Both count from 1. */
export function placeIn(text: string, at: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

interface Places {
  /** Null for an element of a list, and for the root. */
  readonly key: number | null;
  readonly value: number;
}

/** Where the value at a path begins, and its key. The text must be JSON; null if there is no such value. */
export function placesInJson(text: string, path: readonly PropertyKey[]): Places | null {
  let at = 0;
  let found: Places | null = null;
  const skip = (): string => {
    at = after(SPACE, text, at) ?? at;
    return text[at] ?? '';
  };
  const read = (rest: readonly PropertyKey[] | null, key: number | null): void => {
    const opening = skip();
    if (rest?.length === 0) found = { key, value: at };
    if (opening !== '{' && opening !== '[') {
      at = opening === '"' ? (after(STRING, text, at) ?? at) + 1 : (after(PLAIN, text, at) ?? text.length);
      return;
    }
    at++;
    for (let index = 0; !'}]'.includes(skip()); index++) {
      const keyAt = opening === '{' ? at : null;
      let name: PropertyKey = index;
      if (keyAt !== null) {
        at = (after(STRING, text, at) ?? at) + 1;
        name = JSON.parse(text.slice(keyAt, at)) as string;
        skip();
        at++;
      }
      read(rest !== null && rest[0] === name ? rest.slice(1) : null, keyAt);
      if (skip() === ',') at++;
    }
    at++;
  };
  read(path, null);
  return found;
}
