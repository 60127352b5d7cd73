/** How the rows of a screen are shared out. */
import type { Size, UiState } from './state.ts';

export const LEAST: Size = { columns: 40, rows: 10 };
/** With fewer there is a list and nothing below it. */
const LEAST_WITH_PANE = 16;
const LEAST_LIST = 3;

export interface Layout {
  /** Rows of loops. */
  readonly list: number;
  /** Where the pane's own lines begin, and how many there are; 0 for none. */
  readonly paneAt: number;
  readonly pane: number;
}

/** Above the list: the title and the names of its columns. Above a loop alone: its title, its figures, its task. */
export const LIST_AT = 2;
export const HEAD_OF_LOOP = 3;
const [TABS, FOOTER] = [1, 1];

export function layoutOf({ size: { rows }, at }: Pick<UiState, 'size' | 'at'>, count: number): Layout {
  if (at === 'loop') {
    const paneAt = HEAD_OF_LOOP + TABS;
    return { list: 0, paneAt, pane: Math.max(0, rows - paneAt - FOOTER) };
  }
  const room = rows - LIST_AT - FOOTER;
  if (rows < LEAST_WITH_PANE) return { list: room, paneAt: rows, pane: 0 };
  const list = Math.max(LEAST_LIST, Math.min(count, Math.floor(room / 2)));
  return { list, paneAt: LIST_AT + list + TABS, pane: room - list - TABS };
}

export const isTooSmall = ({ columns, rows }: Size): boolean => columns < LEAST.columns || rows < LEAST.rows;
