/** What is on the screen, as far as the meaning of a key depends on it. Pure. */
import { stripVTControlCharacters } from 'node:util';
import { chosenItem, shownItems } from './chosen.ts';
import type { Snapshot } from './data.ts';
import type { Look } from './movement.ts';
import { refusalOf } from './refusal.ts';
import type { UiState } from './state.ts';
import type { Drawing } from './views/frame.ts';
import { paneOf } from './views/pane.ts';
import { checksIn } from './views/tabs/checks.ts';

export function lookAt(state: UiState, snapshot: Snapshot, drawing: Drawing): Look {
  const loopOf = (id: string) => snapshot.items.find(({ loop }) => loop.id === id)?.loop;
  const detail = snapshot.detail?.id === state.selected ? snapshot.detail : null;
  return {
    ids: shownItems(snapshot, state.filter).map(({ loop }) => loop.id),
    isThere: (id) => loopOf(id) !== undefined,
    kindOf: (id) => loopOf(id)?.loopKind ?? '',
    refusal(key, id) {
      const loop = loopOf(id);
      return loop === undefined ? null : refusalOf(key, loop);
    },
    isTurned: (id) => loopOf(id)?.supervisor != null,
    iterations() {
      const numbers = detail?.timeline?.iterations.map(({ number }) => number) ?? [];
      return numbers.filter((number) => number <= (detail?.lastEnded ?? 0));
    },
    checks: () => checksIn(detail?.timeline ?? null).length,
    paneText() {
      const item = chosenItem(state, snapshot);
      if (item === null) return [];
      const { lines } = paneOf(state, item, detail, { ...drawing, width: state.size.columns });
      // Only our own colours are in there.
      return lines.map(stripVTControlCharacters);
    },
  };
}
