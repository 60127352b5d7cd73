/** LoopBench: plays every scenario and prints what came of each. `node bench/loopbench/table.mjs` */
import { play } from './play.mjs';
import { SCENARIOS } from './scenarios.mjs';

const COLUMNS = ['scenario', 'says', 'false done', 'missed done', 'calls', 'left', 'ms beyond the agent'];

const rows = [];
for (const scenario of SCENARIOS) {
  const { name, saysDone, falseDone, missedDone, calls, left, beyondMs } = await play(scenario);
  const said = saysDone ? 'done' : 'not done';
  rows.push([name, said, mark(falseDone), mark(missedDone), String(calls), String(left.length), beyondMs.toFixed(0)]);
  const reason = scenario.expect.falseDone;
  if (falseDone) rows.push([`  ${reason ?? 'NOT EXPECTED'}`, '', '', '', '', '', '']);
}
const widths = COLUMNS.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column].length)));
for (const row of [COLUMNS, ...rows])
  console.log(
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd(),
  );

function mark(isSo) {
  return isSo ? 'YES' : 'no';
}
