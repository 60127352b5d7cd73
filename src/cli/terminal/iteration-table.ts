/** The closing table of a loop: the outcome, checks, time and cost of its last iterations. */

import { plural } from '../../core/budget/usage.ts';
import { humanDuration } from '../../core/closing/closing-summary.ts';
import { WIDTH } from '../../core/text/wrap.ts';
import { eachRecord } from '../../state/journal.ts';
import { journalPath, loopFolder, type StateRoot } from '../../state/paths.ts';
import { columnsOf, cutToColumns, padToColumns } from '../../stream/columns.ts';
import { type Paint, STYLES } from '../../views/paint.ts';
import type { CheckRow, Iteration } from '../../views/timeline/iteration.ts';
import { type LastIterations, lastIterations } from '../../views/timeline/last-iterations.ts';
import { costWords } from '../../views/timeline/spent.ts';
import { inOneLine } from '../../views/verdict-lines.ts';

const MOST_ROWS = 10;
const LONGEST_OUTCOME = 18;
const UNKNOWN = '–';

interface Column {
  readonly title: string;
  readonly isRight?: true;
  cell(iteration: Iteration, room: number): string;
}

const NUMBER: Column = { title: '#', isRight: true, cell: ({ number }) => String(number) };
const OUTCOME: Column = {
  title: 'outcome',
  cell: ({ outcome }) => cutToColumns(inOneLine(outcome.words), LONGEST_OUTCOME),
};
const CHECKS: Column = {
  title: 'checks',
  cell: ({ checks, proof }, room) => checksCell([...checks, ...proofCell(proof)], room),
};
const TIME: Column = {
  title: 'time',
  isRight: true,
  cell: ({ workedMs, waitedMs }) => humanDuration(workedMs - waitedMs),
};
const COST: Column = { title: 'cost', isRight: true, cell: costWords };
const COMMIT: Column = { title: 'commit', cell: ({ commit }) => commit?.slice(0, 7) ?? UNKNOWN };

/** Made from the journal, so that it includes iterations from before a resume. */
export function closingTable(
  root: StateRoot,
  id: string,
  machine: Parameters<typeof lastIterations>[0],
  { paint, width = WIDTH }: { readonly paint: Paint; readonly width?: number },
): string[] {
  try {
    const folded = lastIterations(machine, MOST_ROWS);
    eachRecord(journalPath(loopFolder(root, id)), folded.take);
    const last = folded.last();
    return last === null ? [] : iterationTable(last, paint, width);
  } catch {
    // An agent may have damaged the journal; how the loop ended must be shown all the same.
    return [];
  }
}

/** Earlier iterations are only counted; columns without any value are left out. */
export function iterationTable({ iterations: shown, earlier }: LastIterations, paint: Paint, width = WIDTH): string[] {
  if (shown.length === 0) return [];
  const known = [
    NUMBER,
    OUTCOME,
    ...(shown.some(({ checks }) => checks.length > 0) ? [CHECKS] : []),
    TIME,
    ...(shown.some(({ costUsd }) => costUsd !== null) ? [COST] : []),
    ...(shown.some(({ commit }) => commit !== null) ? [COMMIT] : []),
  ];
  const columns = fitting(known, shown, width);
  const room = roomForChecks(columns, shown, width);
  const widths = columns.map((column) => widthOf(column, shown, room));
  const line = (cells: readonly string[], style: (cell: string, index: number) => string): string => {
    const padded = cells.map((cell, index) => {
      const pad = padToColumns(cell, widths[index] ?? 0);
      return columns[index]?.isRight === true ? pad.slice(cell.length) + cell : pad;
    });
    return `  ${padded.map(style).join('  ')}`.trimEnd();
  };
  const rows = shown.map((iteration) => {
    const { mark } = iteration.outcome;
    const isMarked = (index: number): boolean => mark !== null && columns[index] === OUTCOME;
    return line(
      columns.map((column) => column.cell(iteration, room)),
      (cell, index) => (isMarked(index) && mark !== null ? paint(STYLES[mark], cell) : cell),
    );
  });
  const head = line(
    columns.map(({ title }) => title),
    (cell) => cell,
  );
  const more = earlier === 0 ? [] : [paint('dim', `  (${plural(earlier, 'earlier iteration')} not shown)`)];
  return [paint('dim', head), ...more, ...rows];
}

/** What to leave out first: what is also shown elsewhere. */
const LESS_WORTH = [COMMIT, CHECKS, COST, TIME] as const;

function fitting(columns: readonly Column[], shown: readonly Iteration[], width: number): readonly Column[] {
  const isFitting = (some: readonly Column[]): boolean =>
    roomForChecks(some, shown, width) >= (some.includes(CHECKS) ? widthOf(CHECKS, shown, 0) : 0);
  return LESS_WORTH.reduce<readonly Column[]>(
    (left, column) => (isFitting(left) ? left : left.filter((one) => one !== column)),
    columns,
  );
}

/** The room that the other columns leave; negative if they do not fit. */
function roomForChecks(columns: readonly Column[], shown: readonly Iteration[], width: number): number {
  const others = columns.filter((column) => column !== CHECKS);
  const gap = columns.length > others.length ? 2 : 0;
  return width - gap - others.reduce((sum, column) => sum + widthOf(column, shown, 0) + 2, 0);
}

function widthOf(column: Column, shown: readonly Iteration[], room: number): number {
  return Math.max(column.title.length, ...shown.map((iteration) => columnsOf(column.cell(iteration, room))));
}

const proofCell = (proof: Iteration['proof']): Pick<CheckRow, 'label' | 'passed'>[] =>
  proof === null ? [] : [{ label: 'proof', passed: proof.passed }];

/** All checks by name, or only the red ones, or how many there are: the first form that fits. */
function checksCell(checks: readonly Pick<CheckRow, 'label' | 'passed'>[], room: number): string {
  if (checks.length === 0) return UNKNOWN;
  const named = (some: typeof checks): string[] =>
    some.map(({ label, passed }) => `${inOneLine(label)} ${passed ? '✓' : '✗'}`);
  const red = checks.filter(({ passed }) => !passed);
  const green = checks.length - red.length;
  const counted = green === 0 ? [] : [`${green} ✓`];
  const forms = [
    named(checks),
    [...named(red), ...counted],
    [...(red.length === 0 ? [] : [`${red.length} ✗`]), ...counted],
  ];
  const cells = forms.map((parts) => parts.join('  '));
  return cells.find((cell) => columnsOf(cell) <= room) ?? cells.at(-1) ?? UNKNOWN;
}
