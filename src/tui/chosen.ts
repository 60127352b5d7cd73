/** Which loops the list shows, and which one is selected. Pure. */
import type { LoopItem, Snapshot } from './data.ts';
import { type Tab, tabsFor, type UiState } from './state.ts';
import { matches } from './views/loop-text.ts';

export function shownItems({ items }: Snapshot, filter: string): readonly LoopItem[] {
  return filter.trim() === '' ? items : items.filter((item) => matches(item, filter.trim()));
}

export function chosenItem({ selected }: UiState, { items }: Snapshot): LoopItem | null {
  return items.find(({ loop }) => loop.id === selected) ?? null;
}

export const tabsOf = (state: UiState, snapshot: Snapshot): readonly Tab[] =>
  tabsFor(chosenItem(state, snapshot)?.loop.loopKind ?? '');
