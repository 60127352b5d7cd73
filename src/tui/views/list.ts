/** The list of loops: a row each, with as many columns as fit. Widths do not depend on rows, so nothing jumps. Pure. */
import type { Instant } from '../../core/time.ts';
import { columnsOf } from '../../stream/columns.ts';
import { CONDITION_MARKS } from '../../views/loop-condition.ts';
import { costWords, iterationWords, roughly, workedFor } from '../../views/loop-words.ts';
import type { LoopItem } from '../data.ts';
import { type Palette, STYLE_OF_CONDITION } from '../palette.ts';
import { sparkline } from '../sparkline.ts';
import { inColumns, oneLine } from '../text.ts';
import { agentOf, lastOf, projectOf, quietOf, tokensOf } from './loop-text.ts';

type Cell =
  | 'loop'
  | 'kind'
  | 'project'
  | 'agent'
  | 'state'
  | 'iterations'
  | 'bars'
  | 'time'
  | 'quiet'
  | 'cost'
  | 'tokens';

interface Column {
  readonly title: string;
  /** On a narrow, a normal and a wide screen. */
  readonly widths: readonly [number, number, number];
  readonly side?: 'right';
}

/** In their order on the screen. */
const COLUMNS: Readonly<Record<Cell, Column>> = {
  loop: { title: 'LOOP', widths: [5, 5, 5] },
  kind: { title: 'KIND', widths: [7, 7, 7] },
  project: { title: 'PROJECT', widths: [9, 9, 18] },
  agent: { title: 'AGENT', widths: [8, 8, 10] },
  state: { title: 'STATE', widths: [17, 17, 19] },
  iterations: { title: 'ITER', widths: [5, 5, 7], side: 'right' },
  bars: { title: 'HISTORY', widths: [7, 8, 16] },
  time: { title: 'TIME', widths: [4, 4, 4], side: 'right' },
  quiet: { title: 'QUIET', widths: [5, 5, 5], side: 'right' },
  cost: { title: 'COST', widths: [6, 6, 7], side: 'right' },
  tokens: { title: 'TOKENS', widths: [6, 6, 6], side: 'right' },
};
const CELLS = Object.keys(COLUMNS) as readonly Cell[];
/** What to leave out first if there is no room; the heading of an open loop shows it. */
const LESS_WORTH: readonly Cell[] = [
  'tokens',
  'agent',
  'quiet',
  'bars',
  'kind',
  'cost',
  'time',
  'project',
  'iterations',
];
const MARK = 3;
/** The last column gets what is left, and at least this. */
const LEAST_LAST = [14, 18, 24] as const;
const [USUAL, WIDE] = [96, 130];

/** Blanks before a column. On a narrow screen, one is enough before right-aligned text and after the short name. */
function gapOf(cell: Cell, tier: number): number {
  return tier === 0 && (COLUMNS[cell].side === 'right' || cell === 'kind') ? 1 : 2;
}

export interface Columns {
  readonly cells: readonly Cell[];
  readonly width: (cell: Cell) => number;
  /** The blanks before each cell; the first has none. */
  readonly gaps: readonly string[];
  readonly last: number;
}

export function columnsFor(screen: number): Columns {
  const tier = screen >= WIDE ? 2 : screen >= USUAL ? 1 : 0;
  const width = (cell: Cell): number => COLUMNS[cell].widths[tier];
  const without = new Set<Cell>();
  const room = (): number =>
    CELLS.reduce((left, cell) => left - (without.has(cell) ? 0 : width(cell) + gapOf(cell, tier)), screen - MARK);
  for (const cell of LESS_WORTH) if (room() < LEAST_LAST[tier]) without.add(cell);
  const cells = CELLS.filter((cell) => !without.has(cell));
  const gaps = cells.map((cell, index) => ' '.repeat(index === 0 ? 0 : gapOf(cell, tier)));
  return { cells, width, gaps, last: Math.max(0, room()) };
}

export function titleLine(columns: Columns, paint: Palette): string {
  const titles = inRow(columns, (cell) => inColumns(COLUMNS[cell].title, columns.width(cell), COLUMNS[cell].side));
  return paint('dim', `${' '.repeat(MARK)}${titles}  ${inColumns('LAST', columns.last)}`);
}

const inRow = ({ cells, gaps }: Columns, text: (cell: Cell) => string): string =>
  cells.map((cell, index) => `${gaps[index]}${text(cell)}`).join('');

export function rowLine(item: LoopItem, isChosen: boolean, { columns, now, paint }: Drawn): string {
  const { cells, width, last } = columns;
  const { loop, condition } = item;
  const style = STYLE_OF_CONDITION[condition.is];
  const texts: Readonly<Record<Exclude<Cell, 'bars'>, () => string>> = {
    loop: () => item.short,
    kind: () => oneLine(loop.loopKind),
    project: () => projectOf(loop),
    agent: () => agentOf(loop),
    state: () => stateWords(condition.words, width('state'), cells.includes('agent')),
    iterations: () => iterationWords(loop),
    time: () => roughly(workedFor(loop, now)),
    quiet: () => quietOf(item, now),
    cost: () => costWords(loop.usage),
    tokens: () => tokensOf(loop),
  };
  const isRunning = loop.supervisor !== null && condition.is === 'working';
  // The selected row is in reverse video, where colours are unreadable. Bars need theirs, so they are not reversed.
  const pen = isChosen ? (_style: unknown, text: string) => text : paint;
  const shown = inRow(columns, (cell) => {
    if (cell === 'bars') {
      const bars = sparkline(item.bars, width(cell), isRunning ? now : null, paint);
      return isChosen ? paint.upright(bars) : bars;
    }
    const text = inColumns(texts[cell](), width(cell), COLUMNS[cell].side);
    return cell === 'state' ? pen(style, text) : text;
  });
  const mark = pen(style, CONDITION_MARKS[condition.is]);
  const line = `${isChosen ? '▸' : ' '}${mark} ${shown}  ${pen(condition.is === 'needs-you' ? style : 'dim', inColumns(lastOf(item), last))}`;
  return isChosen ? paint.chosen(line) : line;
}

interface Drawn {
  readonly columns: Columns;
  readonly now: Instant;
  readonly paint: Palette;
}

/** Leaves out the agent, in parentheses, if it has its own column or there is no room. */
function stateWords(words: string, width: number, hasAgent: boolean): string {
  const safe = oneLine(words);
  return hasAgent || columnsOf(safe) > width ? safe.replace(/ \(.*\)$/, '') : safe;
}
