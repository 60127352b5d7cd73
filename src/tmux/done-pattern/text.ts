/**
 * Turns what a program writes to its terminal into plain text, chunk by chunk. This is no screen: text that is drawn
 * over stays, which is right for a search. The cursor is tracked as far as words need it: agents skip the spaces that
 * are already on the screen, so `\u001b[7G` between two words is a space, and a jump to another line begins a new text.
 */
import { StringDecoder } from 'node:string_decoder';

interface Cursor {
  readonly row: number;
  readonly column: number;
}

/** Any control character, including those of eight bits. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what this is about.
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/g;
/** `ESC [ parameters intermediates final`. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const CSI = /\u001b\[([0-?]*)[ -/]*([@-~])/y;
/** A title, a link, or a device control string: until BEL, ST, or an ESC that begins something else. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const STRING = /\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\|(?=\u001b[^\\]))/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above.
const OTHER = /\u001b[ -/]*[0-OQ-WYZ`-~=>\\]/y;
/** Longer ones are given up: they are no control sequences. */
const LONGEST_SEQUENCE = 64 * 1024;
const LONGEST_GAP = 200;

export function terminalText() {
  const decoder = new StringDecoder('utf8');
  let unread = '';
  let cursor: Cursor = { row: 1, column: 1 };
  /** Where the last text ended; null before the first. */
  let end: Cursor | null = null;

  const write = (text: string): string => {
    const gap = end === null ? '' : gapBetween(end, cursor);
    cursor = end = { row: cursor.row, column: cursor.column + widthOf(text) };
    return gap + text;
  };
  /** The length of the control sequence at this position, which may move the cursor; null if it is still incomplete. */
  const control = (at: number): number | null => {
    const character = unread[at];
    if (character === '\u001b') {
      const csi = matchAt(CSI, unread, at);
      if (csi) cursor = moved(cursor, csi[1] ?? '', csi[2] ?? '');
      return (csi ?? matchAt(STRING, unread, at) ?? matchAt(OTHER, unread, at))?.[0].length ?? null;
    }
    if (character === '\r') cursor = { ...cursor, column: 1 };
    if (character === '\t') cursor = moved(cursor, '1', 'C');
    if (character === '\b') cursor = moved(cursor, '1', 'D');
    if (character === '\n') cursor = end = { row: cursor.row + 1, column: 1 };
    return 1;
  };

  return {
    push(chunk: Uint8Array): string {
      unread += decoder.write(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength));
      let out = '';
      let at = 0;
      for (;;) {
        CONTROL.lastIndex = at;
        const next = CONTROL.exec(unread)?.index ?? unread.length;
        if (next > at) out += write(unread.slice(at, next));
        at = next;
        if (at === unread.length) break;
        if (unread[at] === '\n') out += '\n';
        const length = control(at);
        if (length === null && unread.length - at < LONGEST_SEQUENCE) break;
        at += length ?? 1;
      }
      unread = unread.slice(at);
      return out;
    },
  };
}

function gapBetween(end: Cursor, { row, column }: Cursor): string {
  if (end.row === row && end.column === column) return '';
  const step = column - end.column;
  return end.row === row && step > 0 ? ' '.repeat(Math.min(step, LONGEST_GAP)) : '\n';
}

const MOVES: Readonly<Record<string, (at: Cursor, first: number, second: number) => Cursor>> = {
  A: (at, rows) => ({ ...at, row: at.row - rows }),
  B: (at, rows) => ({ ...at, row: at.row + rows }),
  C: (at, columns) => ({ ...at, column: at.column + columns }),
  D: (at, columns) => ({ ...at, column: Math.max(1, at.column - columns) }),
  E: (at, rows) => ({ row: at.row + rows, column: 1 }),
  F: (at, rows) => ({ row: at.row - rows, column: 1 }),
  G: (at, column) => ({ ...at, column }),
  d: (at, row) => ({ ...at, row }),
  H: (_, row, column) => ({ row, column }),
  f: (_, row, column) => ({ row, column }),
};

function moved(at: Cursor, parameters: string, final: string): Cursor {
  const [first = 1, second = 1] = parameters.split(';').map((number) => Number(number) || 1);
  return MOVES[final]?.(at, first, second) ?? at;
}

function matchAt(expression: RegExp, text: string, at: number): RegExpExecArray | null {
  expression.lastIndex = at;
  return expression.exec(text);
}

/** Characters of two cells, or none: accurate enough for a search, which only needs to know whether words are apart. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const NO_WIDTH = /\p{M}|[\u200b-\u200f]/u;

function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += NO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}
