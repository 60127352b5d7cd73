/** What a person has chosen on the screen. Nothing of a loop is kept here. */
import type { Typed } from './typing.ts';

/** In the order of the tab line; `stories` and `bus` only where a loop has them. */
export const TABS = ['stream', 'checks', 'stories', 'diff', 'commits', 'cost', 'bus', 'time line'] as const;
export type Tab = (typeof TABS)[number];

export interface Size {
  readonly columns: number;
  readonly rows: number;
}

export type Mode =
  | { readonly is: 'normal' }
  /** `top`: the first of its lines that is seen. */
  | { readonly is: 'help'; readonly top: number }
  /** `before`: what comes back with Esc. */
  | ({ readonly is: 'filter'; readonly before: string } & Typed)
  | ({ readonly is: 'say'; readonly as: 'tell' | 'answer'; readonly id: string } & Typed)
  | { readonly is: 'confirm'; readonly what: 'stop' | 'resume'; readonly id: string; readonly question: string };

export interface UiState {
  readonly size: Size;
  /** The list with a part of the chosen loop below it, or that loop alone. */
  readonly at: 'list' | 'loop';
  readonly selected: string | null;
  /** The first row of the list that is seen. */
  readonly top: number;
  /** Where the chosen one stands in the list: when it goes, its neighbour is chosen. */
  readonly row: number;
  readonly tab: Tab;
  /** The first line of the pane that is seen; null for what the pane itself has in sight, as a rule its end. */
  readonly scroll: number | null;
  /** Which of the checks, from the newest. */
  readonly cursor: number;
  /** Of the diff; null for all changes. */
  readonly iteration: number | null;
  /** Of the list. */
  readonly filter: string;
  /** What was last looked for in the pane. */
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

/** Its end is followed, for as long as a person is there. */
export const isFollowed = (tab: Tab): boolean => tab === 'stream' || tab === 'bus';

/** What a tab shows first: the newest of what grows, the end of the chosen check's log, the beginning of what is read. */
export const startOf = (tab: Tab): number | null => (isFollowed(tab) || tab === 'checks' ? null : 0);
