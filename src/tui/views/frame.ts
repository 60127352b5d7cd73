/** Draws the whole screen as lines, from what the user has chosen and what is known about the loops. Pure. */
import { stripVTControlCharacters } from 'node:util';
import { columnsOf, cutToColumns } from '../../stream/columns.ts';
import { chosenItem, shownItems, tabsOf } from '../chosen.ts';
import type { Around, LoopItem, Snapshot } from '../data.ts';
import { isTooSmall, LEAST, layoutOf } from '../layout.ts';
import type { Palette } from '../palette.ts';
import type { Frame } from '../screen.ts';
import type { UiState } from '../state.ts';
import { inColumns } from '../text.ts';
import { footer } from './footer.ts';
import { loopHead, screenHead, tabLine } from './heads.ts';
import { helpLines, lastHelpTop } from './help.ts';
import { columnsFor, rowLine, titleLine } from './list.ts';
import { type Pane, paneOf, topOf } from './pane.ts';

export interface Drawing extends Around {
  readonly paint: Palette;
}

export function frameOf(state: UiState, snapshot: Snapshot, drawing: Drawing): Frame {
  const { columns, rows } = state.size;
  if (isTooSmall(state.size)) return { lines: tooSmall(state.size.columns, rows), cursor: null };
  const { lines: last, cursor } = footer(state, snapshot, drawing);
  const at = cursor === null ? null : { row: rows - 1, column: Math.min(cursor, columns - 1) };
  const { mode } = state;
  const body = mode.is === 'help' ? helpBody(state, mode.top, snapshot, drawing) : bodyLines(state, snapshot, drawing);
  const filled = Array.from({ length: rows - last.length }, (_, row) => inside(body[row] ?? '', columns));
  return { lines: [...filled, ...last], cursor: at };
}

function helpBody(state: UiState, top: number, snapshot: Snapshot, { paint }: Drawing): string[] {
  const tabs = tabsOf(state, snapshot);
  return helpLines(tabs, state.size.columns, paint).slice(Math.min(top, lastHelpTop(state.size, tabs)));
}

/** Cuts a line that is too wide; it also loses its colours. */
function inside(line: string, columns: number): string {
  const text = stripVTControlCharacters(line);
  return columnsOf(text) <= columns ? line : cutToColumns(text, columns);
}

function bodyLines(state: UiState, snapshot: Snapshot, drawing: Drawing): string[] {
  const { columns: width } = state.size;
  const { paint, now } = drawing;
  const items = shownItems(snapshot, state.filter);
  const item = chosenItem(state, snapshot);
  const { list, pane } = layoutOf(state, items.length);
  const below = item === null || pane === 0 ? [] : paneLines(state, snapshot, item, pane, drawing);
  if (state.at === 'loop' && item !== null) return [...loopHead(item, width, drawing), ...below];
  const columns = columnsFor(width);
  const rows = items
    .slice(state.top, state.top + list)
    .map((one) => rowLine(one, one.loop.id === state.selected, { columns, now, paint }));
  const blank = Array.from({ length: Math.max(0, list - rows.length) }, () => '');
  const told = rows.length > 0 ? rows : [paint('dim', inColumns(emptyWords(state, snapshot), width))];
  return [
    screenHead(snapshot, width, drawing),
    titleLine(columns, paint),
    ...[...told, ...blank].slice(0, list),
    ...below,
  ];
}

function emptyWords({ filter }: UiState, { items }: Snapshot): string {
  if (filter !== '' && items.length > 0) return '   No loop matches the filter. Esc clears it.';
  return '   No loops. Start one in another terminal: ralph run "…"';
}

function paneLines(state: UiState, snapshot: Snapshot, item: LoopItem, height: number, drawing: Drawing): string[] {
  const { columns: width } = state.size;
  const pane = paneOf(state, item, snapshot.detail, { ...drawing, width });
  const from = topOf(state, pane, height);
  const isAtEnd = from + height >= pane.lines.length;
  const lines = linesFrom(state, pane, from, height).map((line, index) => {
    return state.hit === from + index && state.search !== '' ? drawing.paint.chosen(line) : line;
  });
  return [tabLine(state, item, width, { isAtEnd, paint: drawing.paint }), ...lines];
}

/** If the log of a check does not fit, the check's own line stays visible above the end of the log. */
function linesFrom(state: UiState, { lines, held }: Pane, from: number, height: number): readonly string[] {
  const seen = lines.slice(from, from + height);
  if (state.scroll !== null || held === undefined || held.line >= from) return seen;
  return [lines[held.line] ?? '', '     …', ...seen.slice(2)];
}

function tooSmall(columns: number, rows: number): string[] {
  const words = [
    `ralph top needs ${LEAST.columns}×${LEAST.rows},`,
    `this terminal is ${columns}×${rows}.`,
    'Make it larger,',
    'or q and: ralph ls',
  ];
  return words.slice(0, rows).map((line) => inColumns(line, columns));
}
