/** Reads one word: quotes, escapes, `$…`, backticks, process substitution. */
import { type Cursor, charAt, DEEPEST, inside, isAtEnd, looksAt, take, takeUntil } from './cursor.ts';
import { decodeEscapes } from './escapes.ts';
import type { Change, Unit, Word } from './syntax.ts';

const META = ' \t\r\n;&|<>()';
const NAME = /^[A-Za-z_]\w*/;
const LONGEST_NAME = 200;
const SPECIAL = '@*#?-$!0123456789';

/** Null where no word begins. */
export function readWord(cursor: Cursor): Word | null {
  const units: Unit[] = [];
  while (!isAtEnd(cursor)) {
    const unit = readUnit(cursor, units.at(-1));
    if (unit === null) break;
    units.push(unit);
  }
  return units.length === 0 ? null : units;
}

/** The inside of double quotes or of a here-document: spaces are text, `$` and backticks still speak. */
export function readQuoted(cursor: Cursor, isClosed: (cursor: Cursor) => boolean = isAtEnd): Word {
  // An empty string is a word too.
  const units: Unit[] = [text('', true)];
  while (!isAtEnd(cursor) && !isClosed(cursor)) {
    if (charAt(cursor) === '\\') units.push(escapedInQuotes(cursor));
    else units.push(readExpansion(cursor, true) ?? plain(cursor, (char) => !'\\"$`'.includes(char), true));
  }
  return units;
}

function readUnit(cursor: Cursor, before: Unit | undefined): Unit | null {
  const char = charAt(cursor);
  if ((looksAt(cursor, '<(') || looksAt(cursor, '>(')) && cursor.depth < DEEPEST) {
    cursor.at += 2;
    return { kind: 'process', script: nested(cursor) };
  }
  if (char === '(' && isExtendedGlob(before)) return text(`${takeUntil(cursor, ')')})`, false);
  if (META.includes(char)) return null;
  if (take(cursor, "'")) return text(takeUntil(cursor, "'"), true);
  if (take(cursor, "$'")) return text(decodeEscapes(takeEscaped(cursor, "'")), true);
  if (looksAt(cursor, '$"') || char === '"') {
    cursor.at += char === '"' ? 1 : 2;
    return joined(readQuoted(cursor, (each) => take(each, '"')));
  }
  if (char === '\\') {
    cursor.at += 2;
    const escaped = charAt(cursor, -1);
    // A backslash before a newline joins the lines.
    return escaped === '\n' ? text('', false) : text(escaped, true);
  }
  return readExpansion(cursor, false) ?? plain(cursor, (each) => !`${META}'"\\$\``.includes(each), false);
}

function joined(word: Word): Unit {
  const texts = word.map((unit) => (unit.kind === 'text' ? unit.text : null));
  return texts.includes(null) ? { kind: 'quoted', word } : text(texts.join(''), true);
}

function readExpansion(cursor: Cursor, isQuoted: boolean): Unit | null {
  if (take(cursor, '`')) {
    const raw = takeEscaped(cursor, '`').replaceAll(/\\([\\`$])/g, '$1');
    return cursor.depth < DEEPEST
      ? { kind: 'output', script: cursor.script(inside(cursor, raw)), isQuoted }
      : { kind: 'unknown' };
  }
  if (charAt(cursor) !== '$') return null;
  if (take(cursor, '$((')) return readArithmetic(cursor);
  if (take(cursor, '$(')) {
    if (cursor.depth < DEEPEST) return { kind: 'output', script: nested(cursor), isQuoted };
    cursor.at = cursor.text.length;
    return { kind: 'unknown' };
  }
  if (take(cursor, '${')) return braced(cursor, isQuoted);
  const name =
    nameAt(cursor, 1) ?? (charAt(cursor, 1) !== '' && SPECIAL.includes(charAt(cursor, 1)) ? charAt(cursor, 1) : null);
  cursor.at += 1 + (name?.length ?? 0);
  return name === null ? text('$', true) : { kind: 'variable', name, change: null, isQuoted: isQuoted && name !== '@' };
}

function nested(cursor: Cursor) {
  cursor.depth++;
  const script = cursor.script(cursor);
  cursor.depth--;
  take(cursor, ')');
  return script;
}

/** After `${`. */
function braced(cursor: Cursor, isQuoted: boolean): Unit {
  const raw = takeBraced(cursor);
  const prefix = raw.startsWith('!') || (raw.startsWith('#') && raw.length > 1) ? 1 : 0;
  const inner = inside(cursor, raw.slice(prefix));
  const name = nameAt(inner, 0) ?? inner.text.charAt(0);
  inner.at = name.length;
  const isList = take(inner, '[@]') || take(inner, '[*]') || name === '@';
  return { kind: 'variable', name, change: prefix === 1 ? 'unknown' : changeOf(inner), isQuoted: isQuoted && !isList };
}

function changeOf(inner: Cursor): Change | null {
  if (isAtEnd(inner)) return null;
  take(inner, ':');
  const operator = charAt(inner);
  inner.at++;
  if (operator === '' || !'-=+'.includes(operator) || inner.depth >= DEEPEST) return 'unknown';
  return { operator: operator === '+' ? 'alternative' : 'fallback', word: readQuoted(inner) };
}

/** Up to the `}` that closes, over quotes and inner braces. */
function takeBraced(cursor: Cursor): string {
  const start = cursor.at;
  for (let open = 1; !isAtEnd(cursor); cursor.at++) {
    const char = charAt(cursor);
    if (char === '\\') cursor.at++;
    else if (char === '{') open++;
    else if (char === '}' && --open === 0) return cursor.text.slice(start, cursor.at++);
  }
  return cursor.text.slice(start);
}

/** After `((`: its value is unknown, but what it substitutes is run. */
export function readArithmetic(cursor: Cursor): Unit {
  const start = cursor.at;
  let open = 2;
  for (; !isAtEnd(cursor) && open > 0; cursor.at++) {
    if (charAt(cursor) === '(') open++;
    if (charAt(cursor) === ')') open--;
  }
  const inner = cursor.text.slice(start, cursor.at - 2);
  const speaks = (inner.includes('$(') || inner.includes('`')) && cursor.depth < DEEPEST;
  return speaks
    ? { kind: 'quoted', word: [...readQuoted(inside(cursor, inner)), { kind: 'unknown' }] }
    : { kind: 'unknown' };
}

function escapedInQuotes(cursor: Cursor): Unit {
  const next = charAt(cursor, 1);
  cursor.at += 2;
  if (next === '\n') return text('', true);
  return text(next !== '' && '$`"\\'.includes(next) ? next : `\\${next}`, true);
}

function plain(cursor: Cursor, belongs: (char: string) => boolean, isQuoted: boolean): Unit {
  const start = cursor.at;
  // The first always belongs: whoever calls has seen that it is nothing else, and each step must move.
  for (cursor.at++; !isAtEnd(cursor) && belongs(charAt(cursor)); cursor.at++);
  return text(cursor.text.slice(start, cursor.at), isQuoted);
}

function isExtendedGlob(before: Unit | undefined): boolean {
  return before?.kind === 'text' && !before.isQuoted && /.!$|[?*+@]$/.test(before.text);
}

function nameAt(cursor: Cursor, offset: number): string | null {
  const start = cursor.at + offset;
  return NAME.exec(cursor.text.slice(start, start + LONGEST_NAME))?.[0] ?? null;
}

/** Up to an end that no backslash stands before. */
function takeEscaped(cursor: Cursor, end: string): string {
  const start = cursor.at;
  while (!isAtEnd(cursor) && charAt(cursor) !== end) cursor.at += charAt(cursor) === '\\' ? 2 : 1;
  const taken = cursor.text.slice(start, cursor.at);
  cursor.at++;
  return taken;
}

function text(value: string, isQuoted: boolean): Unit {
  return { kind: 'text', text: value, isQuoted };
}
