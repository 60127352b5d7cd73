/** The footer, nearly always one line: the keys, the text being typed, a question, or a notice. Pure. */
import { columnsOf, cutToColumns } from '../../stream/columns.ts';
import { chosenItem, tabsOf } from '../chosen.ts';
import type { Snapshot } from '../data.ts';
import { messageLines } from '../layout.ts';
import type { Palette } from '../palette.ts';
import { type LoopKey, refusalOf } from '../refusal.ts';
import type { UiState } from '../state.ts';
import { oneLine } from '../text.ts';
import { aroundCursor, type Typed } from '../typing.ts';
import { lastHelpTop } from './help.ts';

interface Footer {
  readonly lines: readonly string[];
  /** The column of the cursor while text is typed; otherwise null. */
  readonly cursor: number | null;
}

export function footer(state: UiState, snapshot: Snapshot, { paint }: { readonly paint: Palette }): Footer {
  const { columns: width } = state.size;
  const { mode, notice } = state;
  const nameOf = (id: string): string => snapshot.items.find(({ loop }) => loop.id === id)?.short ?? id;
  if (mode.is === 'filter') return typing(state.at === 'list' ? 'filter: ' : 'search: ', mode, width, paint);
  if (mode.is === 'say') return typing(`${mode.as} ${nameOf(mode.id)}: `, mode, width, paint);
  const message = messageLines(state);
  if (message !== null) {
    const style = mode.is === 'confirm' ? 'yellow' : notice?.isError ? 'red' : 'bold';
    return { lines: message.map((line) => paint(style, ` ${line}`)), cursor: null };
  }
  const line = mode.is === 'help' ? helpWords(state, snapshot) : keysLine(state, snapshot);
  return { lines: [paint('dim', cutToColumns(line, width))], cursor: null };
}

const helpWords = (state: UiState, snapshot: Snapshot): string =>
  lastHelpTop(state.size, tabsOf(state, snapshot)) > 0 ? ' ↑ ↓ scroll  any other key goes back' : ' Any key goes back.';

/** Keeps the cursor visible: if there is no room, the beginning of the text is cut. */
function typing(label: string, typed: Typed, width: number, paint: Palette): Footer {
  const room = Math.max(1, width - columnsOf(label) - 2);
  const shown = (part: string): string => oneLine(`x${part}x`).slice(1, -1);
  const [typedBefore, typedAfter] = aroundCursor(typed);
  let before = shown(typedBefore);
  while (columnsOf(before) > room) before = [...before].slice(1).join('');
  const left = room - columnsOf(before);
  const after = left > 0 ? cutToColumns(shown(typedAfter), left) : '';
  return { lines: [` ${paint('bold', label)}${before}${after}`], cursor: 1 + columnsOf(label) + columnsOf(before) };
}

/** What to leave out first if there is no room; `?` shows all keys. */
const LESS_WORTH = [
  'f follow',
  'o pager',
  'A attach',
  'd diff',
  'Enter open',
  '/ filter',
  '/ search',
  'Tab tabs',
  't tell',
];

/** Only those that act on the selected loop are offered. */
const ACTIONS: readonly (readonly [LoopKey, string])[] = [
  ['a', 'answer'],
  ['p', 'pause'],
  ['r', 'resume'],
  ['s', 'stop'],
  ['t', 'tell'],
  ['A', 'attach'],
];

function keysLine(state: UiState, snapshot: Snapshot): string {
  const item = chosenItem(state, snapshot);
  const isOpen = state.at === 'loop';
  const keys = [
    ...(isOpen ? ['Esc back', 'Tab tabs'] : item === null ? [] : ['Enter open']),
    ...(item === null ? [] : ACTIONS.filter(([key]) => refusalOf(key, item) === null).map((one) => one.join(' '))),
    ...(item === null ? [] : ['d diff']),
    ...(isOpen ? ['o pager', '/ search', 'f follow'] : [filterWords(state)]),
    '? help',
    'q quit',
  ];
  const rest = isOpen ? '' : restWords(snapshot);
  const lineOf = (shown: readonly string[]): string => ` ${shown.join('  ')}${rest}`;
  let shown = keys;
  for (const key of LESS_WORTH) {
    if (columnsOf(lineOf(shown)) <= state.size.columns) break;
    shown = shown.filter((one) => one !== key);
  }
  return lineOf(shown);
}

const filterWords = ({ filter }: UiState): string =>
  filter === '' ? '/ filter' : `filter: ${oneLine(filter)} (Esc clears)`;

/** How many loops the list does not show. */
function restWords({ older, unreadable }: Snapshot): string {
  const old = older > 0 ? `   ${older} older: ralph top --all` : '';
  return unreadable.length > 0 ? `${old}   ${unreadable.length} unreadable: ralph ls --all` : old;
}
