/** The table of `ralph ls`, as wide as the terminal: less important cells are shortened, then left out. Pure. */
import { columnsOf, cutToColumns, padToColumns } from '../../stream/columns.ts';

export interface LsRow {
  readonly mark: string;
  readonly loop: string;
  readonly kind: string;
  readonly where: string;
  readonly state: string;
  readonly iterations: string;
  readonly time: string;
  readonly cost: string;
  /** What is most worth knowing; it gets the remaining room. */
  readonly last: string;
}

type Cell = Exclude<keyof LsRow, 'mark'>;

const TITLES: Readonly<Record<Cell, string>> = {
  loop: 'LOOP',
  kind: 'KIND',
  where: 'WHERE',
  state: 'STATE',
  iterations: 'ITER',
  time: 'TIME',
  cost: 'COST',
  last: 'LAST',
};
const CELLS = Object.keys(TITLES) as readonly Cell[];
const RIGHT: ReadonlySet<Cell> = new Set(['iterations', 'time', 'cost']);
const GAP = 2;
const MARK_WIDTH = 2;

/** Columns in which most of a question fits. */
const ENOUGH = 24;
const LEAST = 17;
/** The command that continues a loop: it is not cut, so that it can be copied. */
const COMMAND = /^ralph \S+ \S+(?: -m \d+)?/;
/** Columns for the command and the first words of a task. */
const PLENTY = 36;

interface Layout {
  readonly rows: readonly LsRow[];
  readonly without: ReadonlySet<Cell>;
}

/** The head and the rows; with `columns` null, nothing is cut. */
export function lsTable(rows: readonly LsRow[], columns: number | null): string[] {
  const layout = columns === null ? { rows, without: new Set<Cell>() } : fitted(rows, columns);
  const cells = CELLS.filter((cell) => !layout.without.has(cell));
  const widths = cells.map((cell) => (cell === 'last' ? 0 : widthOf(layout, cell)));
  const lineOf = (mark: string, texts: Readonly<Record<Cell, string>>): string => {
    const padded = cells.map((cell, index) => {
      const [text, width = 0] = [texts[cell], widths[index]];
      const blanks = ' '.repeat(Math.max(0, width - columnsOf(text)));
      return RIGHT.has(cell) ? `${blanks}${text}` : padToColumns(text, width);
    });
    const line = `${mark} ${padded.join(' '.repeat(GAP))}`.trimEnd();
    return columns === null ? line : cutToColumns(line, columns);
  };
  return [lineOf(' ', TITLES), ...layout.rows.map((row) => lineOf(row.mark, row))];
}

/** Shortens cells until the last column has enough room; leaves columns out only if it has too little. */
function fitted(rows: readonly LsRow[], columns: number): Layout {
  const longest = Math.max(...rows.map(({ last }) => columnsOf(last)));
  const enough = Math.min(longest, ENOUGH);
  const commands = rows.map(({ last }) => (COMMAND.exec(last)?.[0].length ?? 0) + 1);
  const least = Math.min(longest, Math.max(LEAST, ...commands), Math.floor(columns / 3));
  const roomIn = (layout: Layout): number =>
    columns - MARK_WIDTH - GAP - CELLS.reduce((sum, cell) => sum + (cell === 'last' ? 0 : spaceOf(layout, cell)), -GAP);
  const leaveOut = (cell: Cell): Layout => ({ ...layout, without: new Set([...layout.without, cell]) });
  let layout: Layout = { rows, without: new Set() };
  for (const cell of USUAL_CELLS)
    if (roomIn(layout) < Math.min(longest, PLENTY) && isUsual(rows, cell)) layout = leaveOut(cell);
  for (const shorten of SHORTER) if (roomIn(layout) < enough) layout = { ...layout, rows: layout.rows.map(shorten) };
  for (const cell of LESS_WORTH) if (roomIn(layout) < least) layout = leaveOut(cell);
  return layout;
}

/** If all loops are of `ralph run` and in this directory, these columns say less than the tasks. */
const USUAL = { where: '.', kind: 'run' } as const;
const USUAL_CELLS = ['where', 'kind'] as const;

function isUsual(rows: readonly LsRow[], cell: keyof typeof USUAL): boolean {
  return rows.every((row) => row[cell] === USUAL[cell]);
}

const LESS_WORTH: readonly Cell[] = ['time', 'kind', 'cost', 'where', 'iterations'];

/** The end of a path says the most; what is in parentheses in a state says the least. */
const SHORTER: readonly ((row: LsRow) => LsRow)[] = [
  (row) => ({ ...row, where: endOf(row.where, 22) }),
  (row) => ({ ...row, where: endOf(row.where, 14) }),
  (row) => ({ ...row, state: row.state.replace(/ \(.*\)$/, '') }),
  (row) => ({ ...row, where: endOf(row.where, 10), state: cutToColumns(row.state, 21) }),
];

function spaceOf(layout: Layout, cell: Cell): number {
  return layout.without.has(cell) ? 0 : widthOf(layout, cell) + GAP;
}

function widthOf({ rows }: Layout, cell: Cell): number {
  return Math.max(TITLES[cell].length, ...rows.map((row) => columnsOf(row[cell])));
}

function endOf(text: string, width: number): string {
  const characters = [...text];
  if (columnsOf(text) <= width) return text;
  while (columnsOf(characters.join('')) > width - 1) characters.shift();
  return `…${characters.join('')}`;
}
