/** Makes untrusted text safe for one line of the screen: it cannot control the terminal or change other text. */
import { columnsOf, cutToColumns } from '../stream/columns.ts';
import { printable } from '../stream/printable.ts';

/** Marks that change the writing direction, byte order marks, tags and separators: invisible, and never wanted here. */
const INVISIBLE = /[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
/** An unpaired surrogate: it would come out as something else. */
const HALF = /[\ud800-\udfff]/gu;
/** More combining marks than any script needs: they would run over the lines above and below. */
const PILED_UP = /(\p{M}{3})\p{M}+/gu;
const PLAIN = /^[\u0020-\u007e]*$/;

/** The text as one line: line ends and tabs become blanks. */
export function oneLine(text: string): string {
  return safe(text).replaceAll(/\s+/g, ' ').trim();
}

/** Like `oneLine`, but keeps the blanks, for code. */
export function safe(text: string): string {
  if (PLAIN.test(text)) return text;
  return printable(text)
    .replaceAll('\t', '  ')
    .replaceAll('\n', ' ')
    .replaceAll(HALF, '\ufffd')
    .replaceAll(INVISIBLE, '')
    .replaceAll(PILED_UP, '$1');
}

/** Cuts or pads a text to exactly `columns` columns; `side` is where the text goes. */
export function inColumns(text: string, columns: number, side: 'left' | 'right' = 'left'): string {
  const cut = cutToColumns(text, columns);
  const blanks = ' '.repeat(Math.max(0, columns - columnsOf(cut)));
  return side === 'left' ? `${cut}${blanks}` : `${blanks}${cut}`;
}

/** Wraps a text to `columns` columns, at blanks where possible. */
export function wrapped(text: string, columns: number): string[] {
  return text.split('\n').flatMap((line) => wrapLine(safe(line), Math.max(1, columns)));
}

function wrapLine(line: string, columns: number): string[] {
  if (columnsOf(line) <= columns) return [line];
  const lines: string[] = [];
  let [begun, room] = ['', columns];
  for (const character of line) {
    const width = columnsOf(character);
    if (width > room) {
      // A blank at the edge becomes the line break.
      if (character === ' ' && begun.trim() !== '') {
        lines.push(begun);
        [begun, room] = ['', columns];
        continue;
      }
      const [above, word] = atLastBlank(begun);
      lines.push(above);
      begun = word;
      room = columns - columnsOf(word);
    }
    begun += character;
    room -= width;
  }
  return begun === '' ? lines : [...lines, begun];
}

/** Splits a full line into what stays and the word that moves to the next line; without blanks, nothing moves. */
function atLastBlank(line: string): readonly [string, string] {
  const blank = line.lastIndexOf(' ');
  const isIndent = line.slice(0, blank + 1).trim() === '';
  return isIndent ? [line, ''] : [line.slice(0, blank).replace(/ +$/, ''), line.slice(blank + 1)];
}
