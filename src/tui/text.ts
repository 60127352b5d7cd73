/** Text of others made fit for one line of the screen: nothing in it has an effect on the terminal or on its neighbours. */
import { columnsOf, cutToColumns } from '../stream/columns.ts';
import { printable } from '../stream/printable.ts';

/** Marks that turn the direction of what follows, byte order marks, tags and separators: invisible, and never wanted here. */
const INVISIBLE = /[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
/** Half of a character that takes two: it would come out as something else. */
const HALF = /[\ud800-\udfff]/gu;
/** More than any script needs on one character: the rest would run over the lines above and below. */
const PILED_UP = /(\p{M}{3})\p{M}+/gu;
const PLAIN = /^[\u0020-\u007e]*$/;

/** The text as one line: line ends and tabs become blanks. */
export function oneLine(text: string): string {
  return safe(text).replaceAll(/\s+/g, ' ').trim();
}

/** Keeps blanks, as code has them. */
export function safe(text: string): string {
  if (PLAIN.test(text)) return text;
  return printable(text)
    .replaceAll('\t', '  ')
    .replaceAll('\n', ' ')
    .replaceAll(HALF, '\ufffd')
    .replaceAll(INVISIBLE, '')
    .replaceAll(PILED_UP, '$1');
}

/** Exactly so many columns, on the left side of them unless told otherwise. */
export function inColumns(text: string, columns: number, side: 'left' | 'right' = 'left'): string {
  const cut = cutToColumns(text, columns);
  const blanks = ' '.repeat(Math.max(0, columns - columnsOf(cut)));
  return side === 'left' ? `${cut}${blanks}` : `${blanks}${cut}`;
}

/** The lines that a text takes on a screen of so many columns, broken at blanks where there are any. */
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
      // A blank at the edge is the break itself.
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

/** What stays on the line, and the word that goes on in the next one; a line without blanks is cut where it is full. */
function atLastBlank(line: string): readonly [string, string] {
  const blank = line.lastIndexOf(' ');
  const isIndent = line.slice(0, blank + 1).trim() === '';
  return isIndent ? [line, ''] : [line.slice(0, blank).replace(/ +$/, ''), line.slice(blank + 1)];
}
