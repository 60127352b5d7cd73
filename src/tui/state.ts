/** What the user has chosen on the screen. Data about loops is not kept here. */
import type { Typed } from './typing.ts';

/** In the order of the tab line; `stories` and `bus` only for loops that have them. */
export const TABS = ['stream', 'checks', 'stories', 'diff', 'commits', 'cost', 'bus', 'time line'] as const;
export type Tab = (typeof TABS)[number];

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export type Mode =
  | { readonly is: 'normal' }
  /** `top`: its first visible line. */
  | { readonly is: 'help'; readonly top: number }
  /** `before`: the text that Esc restores. */
  | ({ readonly is: 'filter'; readonly before: string } & Typed)
  | ({ readonly is: 'say'; readonly as: 'tell' | 'answer'; readonly id: string } & Typed)
  | { readonly is: 'confirm'; readonly what: 'stop' | 'resume'; readonly id: string; readonly question: string };

export interface UiState {
  readonly size: Size;
  /** The list with a pane of the selected loop below it, or that loop alone. */
  readonly at: 'list' | 'loop';
  readonly selected: string | null;
  /** The first visible row of the list. */
  readonly top: number;
  /** The row of the selected loop in the list: if the loop disappears, its neighbour is selected. */
  readonly row: number;
  readonly tab: Tab;
  /** The first visible line of the pane; null to leave that to the pane, which usually shows its end. */
  readonly scroll: number | null;
  /** The selected check, counted from the newest. */
  readonly cursor: number;
  /** The iteration that the diff shows; null for all changes. */
  readonly iteration: number | null;
  /** The filter of the list. */
  readonly filter: string;
  /** The text that was last searched for in the pane. */
  readonly search: string;
  /** The line where it was found. */
  readonly hit: number | null;
  readonly mode: Mode;
  readonly notice: Notice | null;
}

export interface Notice {
  readonly text: string;
  readonly isError: boolean;
}

export function firstState(size: Size): UiState {
  return {
    size,
    at: 'list',
    selected: null,
    top: 0,
    row: 0,
    tab: 'stream',
    scroll: null,
    cursor: 0,
    iteration: null,
    filter: '',
    search: '',
    hit: null,
    mode: { is: 'normal' },
    notice: null,
  };
}

export function tabsFor(loopKind: string): readonly Tab[] {
  return TABS.filter((tab) => {
    if (tab === 'stories') return loopKind === 'stories';
    return tab === 'bus' ? ['task', 'job', 'ralph-loop'].includes(loopKind) : true;
  });
}

/** Tabs that grow: they follow their end until the user scrolls up. */
export const isFollowed = (tab: Tab): boolean => tab === 'stream' || tab === 'bus';

/** `scroll` of a tab when it opens: null for one that grows, and to show the end of a check's log; 0 for others. */
export const startOf = (tab: Tab): number | null => (isFollowed(tab) || tab === 'checks' ? null : 0);
