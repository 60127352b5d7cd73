/** Handles the keys that move: to another loop, another tab, or another part of a text. Pure. */
import { LIST_AT, layoutOf } from './layout.ts';
import type { LoopKey } from './refusal.ts';
import { isFollowed, startOf, type Tab, tabsFor, type UiState } from './state.ts';

/** What is on the screen, as far as a key's meaning depends on it. */
export interface Look {
  /** The loops that match the filter, in the order of the list. */
  readonly ids: readonly string[];
  /** Whether the loop exists, even if the filter hides it. */
  isThere(id: string): boolean;
  kindOf(id: string): string;
  /** Its short name. */
  nameOf(id: string): string;
  /** Why a key does nothing for this loop; null if it acts. */
  refusal(key: LoopKey, id: string): string | null;
  /** Whether a supervisor drives the loop: a resume starts no other one then. */
  isTurned(id: string): boolean;
  /** The iterations whose changes are known, because their agent has ended. */
  iterations(): readonly number[];
  /** How many checks can be chosen. */
  checks(): number;
  /** How far the help can be scrolled. */
  lastHelpTop(): number;
  /** The lines of the pane as text. */
  paneText(): readonly string[];
  /** The first visible line if the user has not scrolled. */
  paneTop(): number;
}

export function onTab(state: UiState, tab: Tab): UiState {
  return tab === state.tab ? state : { ...state, tab, scroll: startOf(tab), cursor: 0, hit: null };
}

export function turned(state: UiState, by: number, look: Look): UiState {
  if (state.selected === null) return state;
  const tabs = tabsFor(look.kindOf(state.selected));
  const next = tabs[(tabs.indexOf(state.tab) + by + tabs.length) % tabs.length];
  return next === undefined ? state : onTab(state, next);
}

/** Shows the diff of another iteration; before the first one come all changes. */
export function compared(state: UiState, by: number, look: Look): UiState {
  const choices = [null, ...look.iterations()];
  const at = Math.max(0, Math.min(choices.length - 1, choices.indexOf(state.iteration) + by));
  return { ...state, iteration: choices[at] ?? null, scroll: 0 };
}

export function chosen(state: UiState, selected: string | null): UiState {
  return { ...state, selected, scroll: startOf(state.tab), cursor: 0, hit: null, iteration: null };
}

export function moved(state: UiState, by: number, look: Look): UiState {
  if (state.at === 'list') {
    const { ids } = look;
    const row = Math.max(0, Math.min(ids.length - 1, ids.indexOf(state.selected ?? '') + by));
    const selected = ids[row] ?? null;
    if (selected === state.selected) return state;
    return chosen(state, selected);
  }
  // Single steps select a check; paging scrolls through its log.
  const isStep = Math.abs(by) === 1 || !Number.isFinite(by);
  return state.tab === 'checks' && isStep ? pickedCheck(state, by, look) : scrolled(state, by, look);
}

function pickedCheck(state: UiState, by: number, look: Look): UiState {
  const cursor = Math.max(0, Math.min(look.checks() - 1, state.cursor + by));
  return { ...state, cursor, scroll: startOf(state.tab), hit: null };
}

/** Scrolling to the end of a tab that grows follows it again. */
function scrolled(state: UiState, by: number, look: Look): UiState {
  const last = lastTop(state, look);
  const from = state.scroll ?? look.paneTop();
  const scroll = Math.max(0, Math.min(last, from + by));
  return { ...state, scroll: scroll === last && isFollowed(state.tab) ? null : scroll };
}

function lastTop(state: UiState, look: Look): number {
  return Math.max(0, look.paneText().length - layoutOf(state, look.ids.length).pane);
}

export function followed(state: UiState, look: Look): UiState {
  const isFollowing = state.tab === 'stream' && state.scroll === null;
  return isFollowing ? { ...state, scroll: lastTop(state, look) } : { ...state, tab: 'stream', scroll: null };
}

export function onWheel(state: UiState, by: number, row: number, look: Look): UiState {
  const { paneAt, pane } = layoutOf(state, look.ids.length);
  const isOverPane = state.at === 'loop' || (pane > 0 && row >= paneAt - 1);
  if (!isOverPane) return moved(state, Math.sign(by), look);
  return scrolled(state, by, look);
}

export function onClick(state: UiState, row: number, look: Look): UiState {
  if (state.at !== 'list') return state;
  const { list } = layoutOf(state, look.ids.length);
  const id = row >= LIST_AT && row < LIST_AT + list ? look.ids[state.top + row - LIST_AT] : undefined;
  return id === undefined || id === state.selected ? state : chosen(state, id);
}

/** Jumps to the next match: after the last one, or from the first visible line. */
export function found(state: UiState, by: 1 | -1, look: Look): UiState {
  if (state.search === '') return state;
  const lines = look.paneText();
  const wanted = state.search.toLowerCase();
  const last = lastTop(state, look);
  const from = state.hit ?? (state.scroll ?? last) - by;
  for (let step = 1; step <= lines.length; step++) {
    const hit = (((from + by * step) % lines.length) + lines.length) % lines.length;
    if (lines[hit]?.toLowerCase().includes(wanted)) return { ...state, hit, scroll: Math.min(hit, last) };
  }
  return { ...state, hit: null, notice: { text: `Not found: ${state.search}`, isError: true } };
}
