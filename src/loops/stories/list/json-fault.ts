/**
 * Where a text stops being JSON. `JSON.parse` names a place for some faults and some releases only, and a person who has to
 * find a comma in a list of stories needs it always.
 */

export interface Fault {
  readonly line: number;
  readonly column: number;
}

const SPACE = /[ \t\n\r]*/y;
const PLAIN = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;
const FIRST_PRINTABLE = 0x20;

type Wanted = 'value' | 'value or ]' | 'key' | 'key or }' | ':' | 'more';

export function faultIn(text: string): Fault | null {
  // What is open, by what closes it.
  const open: string[] = [];
  let wanted: Wanted = 'value';
  let at = 0;
  for (;;) {
    at = after(SPACE, text, at) ?? at;
    const next = text[at] ?? 'nothing';
    const isClosing = wanted === 'more' ? next === open.at(-1) : wanted.endsWith(` ${next}`);
    if (wanted === 'more' && open.length === 0) return next === 'nothing' ? null : placeOf(text, at);
    if (isClosing) {
      open.pop();
      at++;
      wanted = 'more';
    } else if (wanted === 'more' && next === ',') {
      at++;
      wanted = open.at(-1) === '}' ? 'key' : 'value';
    } else if (wanted === ':' && next === ':') {
      at++;
      wanted = 'value';
    } else if (wanted.startsWith('value') && (next === '{' || next === '[')) {
      open.push(next === '{' ? '}' : ']');
      at++;
      wanted = next === '{' ? 'key or }' : 'value or ]';
    } else if (wanted.startsWith('value') && next !== '"') {
      const end = after(PLAIN, text, at);
      if (end === null) return placeOf(text, at);
      at = end;
      wanted = 'more';
    } else if (next === '"' && wanted !== 'more' && wanted !== ':') {
      const { end, isWhole } = stringFrom(text, at);
      if (!isWhole) return placeOf(text, end);
      at = end;
      wanted = wanted.startsWith('key') ? ':' : 'more';
    } else return placeOf(text, at);
  }
}

function after(pattern: RegExp, text: string, at: number): number | null {
  pattern.lastIndex = at;
  return pattern.test(text) ? pattern.lastIndex : null;
}

function stringFrom(text: string, start: number): { end: number; isWhole: boolean } {
  let at = start + 1;
  while (at < text.length) {
    const unit = text[at];
    if (unit === '"') return { end: at + 1, isWhole: true };
    const end = unit === '\\' ? after(ESCAPE, text, at) : at + 1;
    if (end === null || text.charCodeAt(at) < FIRST_PRINTABLE) break;
    at = end;
  }
  return { end: at, isWhole: false };
}

function placeOf(text: string, at: number): Fault {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}
