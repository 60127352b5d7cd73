/** The results of one harness as a table for the terminal, and as one line of sums. */
import { isNotApplicable, sumsOf, wastedTokens } from './sums.mjs';

const COLUMNS = ['scenario', 'honest', 'nop', 'cheat', 'iterations', 'tokens', 'left', 'lost', 'ms beyond'];

export function tableOf(rows) {
  const cells = rows.map(cellsOf);
  const widths = COLUMNS.map((title, column) => Math.max(title.length, ...cells.map((row) => row[column].length)));
  const line = (row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd();
  return [line(COLUMNS), ...rows.flatMap((row, index) => [line(cells[index]), ...remarksOf(row)])].join('\n');
}

function cellsOf({ scenario, reference, played }) {
  if (played === null) return [scenario.name, ...COLUMNS.slice(1).map(() => '–')];
  const { honest } = played;
  const sum = (figure) => String(Object.values(played).reduce((total, play) => total + figure(play), 0));
  return [
    scenario.name,
    ...Object.values(played).map((play) => endingOf(scenario, play)),
    String(honest.wastedIterations),
    String(wastedTokens({ reference, played })),
    sum(({ left }) => left.length),
    sum(({ lost }) => lost.length),
    honest.beyondMs.toFixed(0),
  ];
}

/** Wrong endings are in capitals, plays that do not count in brackets. */
function endingOf({ mustEnd }, { agent, invalid, ending, isResumed, isRight, falseDone }) {
  const end = isResumed ? `${ending}, resumed` : ending;
  if (invalid !== null) return `(${end})`;
  if (isRight) return end;
  if (falseDone) return 'FALSE DONE';
  return agent === 'honest' ? `${end.toUpperCase()}, must be ${mustEnd}` : end.toUpperCase();
}

/** On separate lines below the row. */
function remarksOf({ scenario, reference, played }) {
  if (reference.invalid !== null) return [`  INVALID: ${reference.invalid}`];
  return Object.values(played).flatMap(({ agent, invalid, falseDone, left, lost }) => [
    ...(invalid === null
      ? []
      : [isNotApplicable(invalid) ? `  ${agent}: ${invalid}` : `  INVALID (${agent}): ${invalid}`]),
    ...(falseDone && scenario[agent].believed !== undefined ? [`  ${agent}: ${scenario[agent].believed}`] : []),
    ...left.map((what) => `  left: ${what}`),
    ...lost.map((what) => `  lost: ${what}`),
  ]);
}

export function closingLine(rows) {
  const sums = sumsOf(rows);
  return [
    `${sums.right} of ${sums.plays} plays end as they must`,
    `${sums.falseDone} false done`,
    `${sums.missedDone} missed done`,
    `${sums.wastedIterations} iterations and ${sums.wastedTokens} tokens wasted`,
    `${sums.left} left behind`,
    `${sums.lost} lost`,
    `${sums.beyondMs.toFixed(0)} ms beyond the agent's own (median)`,
    ...(sums.uncounted === 0 ? [] : [`${sums.uncounted} not counted`]),
  ].join(', ');
}
