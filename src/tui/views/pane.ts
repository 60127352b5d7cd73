/** The pane of the selected loop: one of its tabs, as lines that fit the screen. Pure. */
import type { Around, Detail, LoopItem, Panel } from '../data.ts';
import type { Palette } from '../palette.ts';
import type { UiState } from '../state.ts';
import { wrapped } from '../text.ts';
import { checksPane } from './tabs/checks.ts';
import { commitsPane } from './tabs/commits.ts';
import { costPane } from './tabs/cost.ts';
import { drawnLine, streamPane } from './tabs/stream.ts';
import { timeLinePane } from './tabs/time-line.ts';

export interface Pane {
  readonly lines: readonly string[];
  /** The line to keep visible until the user scrolls, and how many lines below belong to it; absent to show the end. */
  readonly held?: { readonly line: number; readonly below: number };
}

export interface PaneDrawing extends Around {
  readonly width: number;
  readonly paint: Palette;
}

export function paneOf(state: UiState, item: LoopItem, detail: Detail | null, drawing: PaneDrawing): Pane {
  if (detail === null || detail.id !== item.loop.id) return { lines: [drawing.paint('dim', ' reading …')] };
  switch (state.tab) {
    case 'stream':
      return streamPane(detail, item, drawing);
    case 'checks':
      return checksPane(detail, item, state.cursor, drawing);
    case 'commits':
      return commitsPane(detail, item, drawing);
    case 'cost':
      return costPane(detail, item, drawing);
    case 'time line':
      return timeLinePane(detail, item, drawing);
    case 'stories':
    case 'bus':
    case 'diff':
      return panelPane(detail.panels.get(panelName(state) ?? ''), headingOf(state), drawing);
  }
}

/** The name of the text that has to be read for the tab; null for none. */
export function panelName(state: UiState, log: string | null = null): string | null {
  switch (state.tab) {
    case 'diff':
      return `diff ${state.iteration ?? 'all'}`;
    case 'stories':
    case 'bus':
      return state.tab;
    case 'checks':
      return log === null ? null : `log ${log}`;
    case 'stream':
    case 'commits':
    case 'cost':
    case 'time line':
      return null;
  }
}

function headingOf({ tab, iteration }: UiState): string | null {
  if (tab !== 'diff') return null;
  const what = iteration === null ? 'all changes' : `iteration ${iteration}`;
  return `${what}    [ previous   ] next`;
}

function panelPane(panel: Panel | undefined, heading: string | null, { width, paint }: PaneDrawing): Pane {
  const head = heading === null ? [] : [paint('bold', ` ${heading}`)];
  if (panel === undefined) return { lines: [...head, paint('dim', ' reading …')] };
  if (panel.problem !== null)
    return { lines: [...head, ...wrapped(panel.problem, width - 2).map((line) => ` ${paint('yellow', line)}`)] };
  return { lines: [...head, ...panel.lines.flatMap((line) => drawnLine(line, width, paint))] };
}

/** The first visible line. */
export function topOf({ scroll }: Pick<UiState, 'scroll'>, { lines, held }: Pane, height: number): number {
  const last = Math.max(0, lines.length - height);
  if (scroll !== null) return Math.min(scroll, last);
  return held === undefined ? last : Math.min(last, Math.max(0, held.line + held.below + 1 - height));
}
