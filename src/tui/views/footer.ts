/** The last lines, nearly always one: the keys, what is being typed, what is asked before something is done, or what came of it. Pure. */
import { columnsOf, cutToColumns } from '../../stream/columns.ts';
import { chosenItem } from '../chosen.ts';
import type { Snapshot } from '../data.ts';
import type { Palette } from '../palette.ts';
import { type LoopKey, refusalOf } from '../refusal.ts';
import type { UiState } from '../state.ts';
import { inColumns, oneLine, wrapped } from '../text.ts';
import { aroundCursor, type Typed } from '../typing.ts';

interface Footer {
  readonly lines: readonly string[];
  /** The column of the cursor where something is typed; null elsewhere. */
  readonly cursor: number | null;
}

export function footer(state: UiState, snapshot: Snapshot, { paint }: { readonly paint: Palette }): Footer {
  const { columns: width } = state.size;
  const { mode, notice } = state;
  const nameOf = (id: string): string => snapshot.items.find(({ loop }) => loop.id === id)?.short ?? id;
  if (mode.is === 'filter') return typing(state.at === 'list' ? 'filter: ' : 'search: ', mode, width, paint);
  if (mode.is === 'say') return typing(`${mode.as} ${nameOf(mode.id)}: `, mode, width, paint);
  if (mode.is === 'confirm') {
    const what =
      mode.what === 'stop'
        ? `Stop loop ${nameOf(mode.id)} after this iteration?`
        : `Resume loop ${nameOf(mode.id)} in the background?`;
    const asked = cutToColumns(` ${what}`, width - ' y/n'.length);
    return { lines: [paint('yellow', inColumns(`${asked} y/n`, width))], cursor: null };
  }
  if (notice !== null) {
    const lines = noticeLines(notice.text, width).map((line) => paint(notice.isError ? 'red' : 'bold', ` ${line}`));
    return { lines, cursor: null };
  }
  const line = mode.is === 'help' ? ' Any key goes back.' : keysLine(state, snapshot);
  return { lines: [paint('dim', cutToColumns(line, width))], cursor: null };
}

const MOST_NOTICE_LINES = 4;

/** Often its end is what matters: a command to run. */
function noticeLines(text: string, width: number): string[] {
  const lines = wrapped(oneLine(text), width - 2);
  if (lines.length <= MOST_NOTICE_LINES) return lines;
  const last = lines.slice(MOST_NOTICE_LINES - 1).join(' ');
  return [...lines.slice(0, MOST_NOTICE_LINES - 1), cutToColumns(last, width - 2)];
}

/** What is at the cursor is in sight; where there is no room, the beginning of the text is not. */
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

/** What is left out first where there is no room; `?` tells all of them. */
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

/** Only those are offered that act on the chosen loop. */
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
    ...(item === null ? [] : ACTIONS.filter(([key]) => refusalOf(key, item.loop) === null).map((one) => one.join(' '))),
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

/** What the list does not show. */
function restWords({ older, unreadable }: Snapshot): string {
  const old = older > 0 ? `   ${older} older: ralph top --all` : '';
  return unreadable.length > 0 ? `${old}   ${unreadable.length} unreadable: ralph ls --all` : old;
}
