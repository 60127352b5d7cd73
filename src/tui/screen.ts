/** Brings lines to a terminal: only those are written that are not there already, all in one write. */

export interface Frame {
  readonly lines: readonly string[];
  /** Where the cursor stands and is seen, from 0; null for a screen without one. */
  readonly cursor: { readonly row: number; readonly column: number } | null;
}

/** The terminal shows all of it at once, if it knows how. */
const [BEGIN, END] = ['\u001b[?2026h', '\u001b[?2026l'];
const [SHOW_CURSOR, HIDE_CURSOR] = ['\u001b[?25h', '\u001b[?25l'];
/** Before the line: behind one that is as wide as the screen it would take its last character. */
const ERASE = '\u001b[K';

export function screen() {
  let shown: readonly (string | null)[] = [];
  let cursor: Frame['cursor'] = null;
  return {
    /** What is on the terminal is not known any more: its size has changed, or another program has drawn there. */
    forget(): void {
      shown = [];
    },
    /** What to write so that the frame is shown; empty where it is. */
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
