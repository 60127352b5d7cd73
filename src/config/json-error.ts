/** Explains errors in JSON that people write: a plain sentence, and the line with a caret below it. */
import { type JsonFault, jsonFault, placeIn } from '../core/text/json-fault.ts';
import { columnsOf } from '../stream/columns.ts';

/** `.ralph/settings.json:3:1: expected "}" …`, with the line that it is about. Null if the text is JSON. */
export function jsonError(text: string, file: string): string | null {
  const fault = jsonFault(text);
  if (fault === null) return null;
  const { at, sentence } = problemOf(text, fault);
  return [`${placeName(text, at, file)}: ${sentence}`, ...frame(text, at)].join('\n');
}

/** For a file that may contain secrets: only the position, nothing of the text. */
export function jsonErrorPlace(text: string, file: string): string | null {
  const fault = jsonFault(text);
  return fault === null ? null : placeName(text, problemOf(text, fault).at, file);
}

/** `.ralph/settings.json:3:1` */
export function placeName(text: string, at: number, file: string): string {
  const { line, column } = placeIn(text, at);
  return `${file}:${line}:${column}`;
}

interface Problem {
  readonly at: number;
  readonly sentence: string;
}

function problemOf(text: string, fault: JsonFault): Problem {
  const { at, wanted, end, string } = fault;
  const rest = text.slice(at);
  const here = (sentence: string): Problem => ({ at, sentence });
  if (text.trim() === '') return here('the file is empty; expected {}');
  if (string !== null) return brokenString(text, at, string);
  if (/^[\p{Cc}\uFFFD]/u.test(rest)) return here('this is not valid JSON: the file holds data, not text');
  if (/^(?:\/[/*]|#)/.test(rest)) return here('JSON has no comments; remove this one');
  if (/^['‘’“”`]/.test(rest)) return here('use double quotes: "…"');
  if (wanted === 'more') return unfinished(text, fault);
  if (/^[}\]]/.test(rest) && text[end - 1] === ',') {
    return { at: end - 1, sentence: 'remove the comma after the last value' };
  }
  if (rest === '') return unfinished(text, fault);
  const [word = ''] = /^[\w$.+-]+/.exec(rest) ?? [];
  if (wanted === ':') return { at: end, sentence: 'expected ":" after the key' };
  if (wanted.startsWith('key'))
    return here(word === '' ? 'expected a key in double quotes' : `put the key in double quotes: "${word}"`);
  const literal = LITERALS.get(word.toLowerCase());
  if (literal !== undefined) return here(`write ${literal}, not ${word}`);
  return here(word === '' ? 'expected a value' : `put text in double quotes: "${word}"`);
}

/** What people write from other languages. */
const LITERALS: ReadonlyMap<string, string> = new Map([
  ['true', 'true'],
  ['false', 'false'],
  ['null', 'null'],
  ['none', 'null'],
  ['nil', 'null'],
  ['undefined', 'null'],
]);

/** After a value there must be a comma, or the bracket that closes what the value is in. */
function unfinished(text: string, { at, wanted, open, end }: JsonFault): Problem {
  const inner = open.at(-1);
  if (inner === undefined) return { at, sentence: `expected the end of the file after the last "${text[end - 1]}"` };
  const closing = inner.bracket === '{' ? '}' : ']';
  const close = `expected "${closing}" to close the "${inner.bracket}" of line ${placeIn(text, inner.at).line}`;
  const next = text[at];
  if (next === undefined) return { at: end, sentence: close };
  if (next === '}' || next === ']') return { at, sentence: `${close}, found "${next}"` };
  return wanted === 'more' ? { at: end, sentence: `expected "," or "${closing}"` } : { at, sentence: close };
}

function brokenString(text: string, at: number, string: number): Problem {
  const next = text[at];
  if (next === undefined || next === '\n' || next === '\r')
    return { at: string, sentence: 'this string has no closing quote' };
  if (next !== '\\') return { at, sentence: 'a string cannot hold this character; write it as an escape such as \\t' };
  // The backslash may be followed by a line break, which would break the sentence.
  const pair = text.slice(at, at + 2).trimEnd();
  if (pair === '\\u') return { at, sentence: '\\u needs four hexadecimal digits, such as \\u00e9' };
  return { at, sentence: `${pair} is not an escape in JSON; for a backslash write \\\\` };
}

const COLUMNS = 80;

/** The line, and a caret below the position; a long line is cut around it. */
export function frame(text: string, at: number): string[] {
  const { line, column } = placeIn(text, at);
  const whole = (text.split('\n')[line - 1] ?? '').replaceAll(/[\t\r]/g, ' ');
  // A blank line would show nothing.
  if (whole.trim() === '') return [];
  const number = String(line);
  const room = COLUMNS - number.length - 5;
  const from = whole.length <= room ? 0 : Math.max(0, Math.min(column - Math.floor(room / 2), whole.length - room));
  const shown = whole.slice(from, from + room).trimEnd();
  const caret = ' '.repeat(columnsOf(whole.slice(from, column - 1)));
  return [`  ${number} | ${shown}`, `  ${' '.repeat(number.length)} | ${caret}^`];
}
