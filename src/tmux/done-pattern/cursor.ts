/**
 * Follows the cursor of a terminal as far as words need it: agents skip the blanks that already stand on the screen,
 * so `\u001b[7G` between two words is a blank, and a jump to another line begins another text.
 */

export interface Cursor {
  /** The text, behind what stands between it and the last one. */
  wrote(text: string): string;
  lineFeed(): string;
  carriageReturn(): void;
  /** A control sequence, which may move it. */
  moved(parameters: string, final: string): void;
}

const LONGEST_STEP = 200;

export function textCursor(): Cursor {
  let row = 1;
  let column = 1;
  /** Where the last text ended; null before the first. */
  let end: { readonly row: number; readonly column: number } | null = null;

  /** What stands between the last text and here. */
  const gap = (): string => {
    if (end === null || (end.row === row && end.column === column)) return '';
    const step = column - end.column;
    return end.row === row && step > 0 ? ' '.repeat(Math.min(step, LONGEST_STEP)) : '\n';
  };
  return {
    wrote(text) {
      const before = gap();
      column += widthOf(text);
      end = { row, column };
      return before + text;
    },
    lineFeed() {
      row += 1;
      column = 1;
      end = { row, column };
      return '\n';
    },
    carriageReturn() {
      column = 1;
    },
    moved(parameters, final) {
      const [first = 1, second = 1] = parameters.split(';').map((number) => Number(number) || 1);
      switch (final) {
        case 'A':
        case 'F':
          row -= first;
          break;
        case 'B':
        case 'E':
          row += first;
          break;
        case 'C':
          column += first;
          break;
        case 'D':
          column = Math.max(1, column - first);
          break;
        case 'G':
          column = first;
          break;
        case 'd':
          row = first;
          break;
        case 'H':
        case 'f':
          [row, column] = [first, second];
          break;
      }
      if (final === 'E' || final === 'F') column = 1;
    },
  };
}

/** Two cells wide, or none: near enough for a search, which only asks whether words are apart. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}/u;
const NO_WIDTH = /\p{M}|[\u200b-\u200f]/u;

function widthOf(text: string): number {
  if (/^[ -~]*$/.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += NO_WIDTH.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
  return width;
}
