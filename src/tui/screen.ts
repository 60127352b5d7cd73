/** Draws lines on a terminal: only those that changed, all in one write. */

export interface Frame {
  readonly lines: readonly string[];
  /** The position of the visible cursor, from 0; null to hide it. */
  readonly cursor: { readonly row: number; readonly column: number } | null;
}

/** Synchronized output: a terminal that supports it shows the whole frame at once. */
const [BEGIN, END] = ['\u001b[?2026h', '\u001b[?2026l'];
const [SHOW_CURSOR, HIDE_CURSOR] = ['\u001b[?25h', '\u001b[?25l'];
/** Written before a line: after one that is as wide as the screen, it would erase the last character. */
const ERASE = '\u001b[K';

export function screen() {
  let shown: readonly (string | null)[] = [];
  let cursor: Frame['cursor'] = null;
  return {
    /** Draws everything next time: the size of the terminal has changed, or another program has drawn there. */
    forget(): void {
      shown = [];
    },
    /** What to write to show the frame; empty if it is already shown. */
    changes(frame: Frame): string {
      const rows = Math.max(frame.lines.length, shown.length);
      let written = '';
      for (let row = 0; row < rows; row++) {
        const line = frame.lines[row] ?? '';
        if (shown[row] !== line) written += `\u001b[${row + 1};1H${ERASE}${line}`;
      }
      const isMoved = cursorText(frame.cursor) !== cursorText(cursor);
      if (written === '' && !isMoved) return '';
      shown = frame.lines;
      const hide = cursor === null ? '' : HIDE_CURSOR;
      cursor = frame.cursor;
      return `${BEGIN}${hide}${written}${cursorText(cursor)}${END}`;
    },
  };
}

function cursorText(cursor: Frame['cursor']): string {
  return cursor === null ? '' : `\u001b[${cursor.row + 1};${cursor.column + 1}H${SHOW_CURSOR}`;
}
