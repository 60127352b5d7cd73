/** The checks of a loop, newest first, and what the selected one printed. Pure. */
import { MARKS } from '../../../core/closing/closing-summary.ts';
import type { CheckRow } from '../../../views/timeline/iteration.ts';
import type { Timeline } from '../../../views/timeline/timeline.ts';
import { secondsOf } from '../../../views/verdict-lines.ts';
import type { Detail, LoopItem, Panel } from '../../data.ts';
import { inColumns, oneLine, wrapped } from '../../text.ts';
import type { Pane, PaneDrawing } from '../pane.ts';

interface Checked extends CheckRow {
  readonly iteration: number;
}

/** Newest first. */
export function checksIn(timeline: Timeline | null): readonly Checked[] {
  const rows = timeline?.iterations.flatMap(({ number, checks }) =>
    checks.map((check) => ({ ...check, iteration: number })),
  );
  return (rows ?? []).toReversed();
}

export function checksPane(
  { timeline, panels }: Detail,
  { loop }: LoopItem,
  cursor: number,
  { width, paint }: PaneDrawing,
): Pane {
  if (timeline === null) return { lines: [paint('dim', ' reading …')] };
  const checks = checksIn(timeline);
  if (checks.length === 0) return { lines: [paint('dim', ` ${noChecks(loop)}`)] };
  const chosen = Math.min(cursor, checks.length - 1);
  const lines: string[] = [];
  let held = { line: 0, below: 0 };
  for (const [index, check] of checks.entries()) {
    const isChosen = index === chosen;
    const row = ` ${isChosen ? '▸' : ' '} ${checkRow(check, width - 4)}`;
    const at = lines.length;
    lines.push(isChosen ? paint.chosen(inColumns(row, width)) : paint(check.passed ? 'green' : 'red', row));
    if (!isChosen) continue;
    const said = logLines(panels.get(`log ${check.log}`)).flatMap((line) => wrapped(line, width - 6));
    lines.push(...said.map((line) => `     ${line}`), paint('dim', `     ${oneLine(check.log)}`));
    held = { line: at, below: lines.length - at - 1 };
  }
  return { lines, held };
}

/** A loop that is done without a check has none; one that ended otherwise may not have reached them. */
function noChecks({ ending }: LoopItem['loop']): string {
  if (ending === null) return 'No check has run yet.';
  return ending.kind === 'done' ? 'This loop has no checks.' : 'No check has run.';
}

function logLines(log: Panel | undefined): readonly string[] {
  if (log === undefined) return ['reading …'];
  if (log.problem !== null) return [log.problem];
  const lines = log.lines.map(({ text }) => text);
  return lines.some((line) => line.trim() !== '') ? lines : ['It printed nothing.'];
}

function checkRow({ iteration, label, passed, how, durationMs }: Checked, width: number): string {
  const [mark, time] = [MARKS[passed ? 'done' : 'failed'], secondsOf(durationMs)];
  const verdict = `${inColumns(passed ? '' : oneLine(how), 12)}  ${inColumns(time, 7, 'right')}`;
  return `${mark} ${inColumns(String(iteration), 4, 'right')}  ${inColumns(oneLine(label), Math.max(8, width - 31))}  ${verdict}`;
}
