/** What each iteration has cost, and all of them together. Pure. */
import { shortCount } from '../../../core/budget/usage.ts';
import { humanDuration } from '../../../core/closing/closing-summary.ts';
import { costWords, type Spent } from '../../../views/timeline/spent.ts';
import { untilNow } from '../../../views/until-now.ts';
import type { Detail, LoopItem } from '../../data.ts';
import { inColumns, oneLine } from '../../text.ts';
import type { Pane, PaneDrawing } from '../pane.ts';

const HEAD = `    #  ${inColumns('RUNS', 4, 'right')}  ${inColumns('COST', 8, 'right')}  ${inColumns('TOKENS IN', 9, 'right')}  ${inColumns('OUT', 7, 'right')}  ${inColumns('TOOLS', 5, 'right')}  ${inColumns('TIME', 8, 'right')}  MODELS`;

export function costPane({ timeline }: Detail, { loop }: LoopItem, { paint, width, now }: PaneDrawing): Pane {
  if (timeline === null || timeline.iterations.length === 0)
    return { lines: [paint('dim', ' No agent has been started yet.')] };
  const { iterations, totals } = untilNow(timeline, loop, now);
  const rows = iterations.map((one) => rowOf(String(one.number), one, one.workedMs - one.waitedMs)).toReversed();
  const total = paint('bold', inColumns(rowOf('all', totals, totals.workedMs), width));
  return { lines: [paint('dim', HEAD), total, ...rows.map((row) => inColumns(row, width))] };
}

function rowOf(name: string, spent: Spent, ms: number): string {
  const count = (value: number | null): string => (value === null ? '–' : shortCount(value));
  const cells = [
    inColumns(name, 5, 'right'),
    inColumns(String(spent.runs), 4, 'right'),
    inColumns(costWords(spent), 8, 'right'),
    inColumns(count(spent.inputTokens), 9, 'right'),
    inColumns(count(spent.outputTokens), 7, 'right'),
    inColumns(count(spent.toolCalls), 5, 'right'),
    inColumns(humanDuration(ms), 8, 'right'),
    oneLine(spent.models.join(', ')),
  ];
  return cells.join('  ');
}
