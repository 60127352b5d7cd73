/** Finds out what is on the screen, as far as the meaning of a key depends on it. Pure. */
import { stripVTControlCharacters } from 'node:util';
import { chosenItem, shownItems, tabsOf } from './chosen.ts';
import type { Snapshot } from './data.ts';
import { layoutOf } from './layout.ts';
import type { Look } from './movement.ts';
import { refusalOf } from './refusal.ts';
import type { UiState } from './state.ts';
import type { Drawing } from './views/frame.ts';
import { lastHelpTop } from './views/help.ts';
import { type Pane, paneOf, topOf } from './views/pane.ts';
import { checksIn } from './views/tabs/checks.ts';

export function lookAt(state: UiState, snapshot: Snapshot, drawing: Drawing): Look {
  const itemOf = (id: string) => snapshot.items.find(({ loop }) => loop.id === id);
  const loopOf = (id: string) => itemOf(id)?.loop;
  const detail = snapshot.detail?.id === state.selected ? snapshot.detail : null;
  const ids = shownItems(snapshot, state.filter).map(({ loop }) => loop.id);
  const pane = (): Pane => {
    const item = chosenItem(state, snapshot);
    return item === null ? { lines: [] } : paneOf(state, item, detail, { ...drawing, width: state.size.columns });
  };
  return {
    ids,
    isThere: (id) => loopOf(id) !== undefined,
    kindOf: (id) => loopOf(id)?.loopKind ?? '',
    nameOf: (id) => itemOf(id)?.short ?? id,
    refusal(key, id) {
      const item = itemOf(id);
      return item === undefined ? null : refusalOf(key, item);
    },
    isTurned: (id) => loopOf(id)?.supervisor != null,
    iterations() {
      const numbers = detail?.timeline?.iterations.map(({ number }) => number) ?? [];
      return numbers.filter((number) => number <= (detail?.lastEnded ?? 0));
    },
    checks: () => checksIn(detail?.timeline ?? null).length,
    lastHelpTop: () => lastHelpTop(state.size, tabsOf(state, snapshot)),
    // The only escape sequences in there are our own colours.
    paneText: () => pane().lines.map(stripVTControlCharacters),
    paneTop: () => topOf({ ...state, scroll: null }, pane(), layoutOf(state, ids.length).pane),
  };
}
