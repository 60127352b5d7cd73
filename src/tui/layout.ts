/** Divides the rows of the screen between list, pane and footer. */
import { cutToColumns } from '../stream/columns.ts';
import type { Size, UiState } from './state.ts';
import { oneLine, wrapped } from './text.ts';

export const LEAST: Size = { columns: 40, rows: 10 };
/** With fewer rows, there is only the list. */
const LEAST_WITH_PANE = 16;
const LEAST_LIST = 3;

export interface Layout {
  /** Rows for loops. */
  readonly list: number;
  /** The first row of the pane's own lines. `pane` is how many there are; 0 for none. */
  readonly paneAt: number;
  readonly pane: number;
}

/** Rows above the list: the title and the column names. Above a single loop: its title, its figures, its task. */
export const LIST_AT = 2;
export const HEAD_OF_LOOP = 3;
const [TABS, FOOTER] = [1, 1];
const MOST_MESSAGE_LINES = 4;

export type Shown = Pick<UiState, 'size' | 'at' | 'mode' | 'notice'>;

/** A message of several lines takes its rows from the pane, or without one, from the list. */
export function layoutOf(shown: Shown, count: number): Layout {
  const { size, at } = shown;
  const { rows } = size;
  const footer = messageLines(shown)?.length ?? FOOTER;
  if (at === 'loop') {
    const paneAt = HEAD_OF_LOOP + TABS;
    return { list: 0, paneAt, pane: Math.max(0, rows - paneAt - footer) };
  }
  if (rows < LEAST_WITH_PANE) return { list: rows - LIST_AT - footer, paneAt: rows, pane: 0 };
  const room = rows - LIST_AT - FOOTER;
  const list = Math.max(LEAST_LIST, Math.min(count, Math.floor(room / 2)));
  return { list, paneAt: LIST_AT + list + TABS, pane: rows - LIST_AT - list - TABS - footer };
}

/** The question or the notice, in several lines, as its end often matters most; null if there is neither. */
export function messageLines({ size: { columns }, mode, notice }: Shown): readonly string[] | null {
  if (mode.is === 'filter' || mode.is === 'say') return null;
  const text = mode.is === 'confirm' ? `${mode.question} y/n` : notice?.text;
  if (text === undefined) return null;
  const lines = wrapped(oneLine(text), columns - 2);
  if (lines.length <= MOST_MESSAGE_LINES) return lines;
  const last = lines.slice(MOST_MESSAGE_LINES - 1).join(' ');
  return [...lines.slice(0, MOST_MESSAGE_LINES - 1), cutToColumns(last, columns - 2)];
}

export const isTooSmall = ({ columns, rows }: Size): boolean => columns < LEAST.columns || rows < LEAST.rows;
