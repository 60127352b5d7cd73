/** The results of scenarios as a table, and as one line that sums it up. */
const COLUMNS = ['scenario', 'ends', 'must end', 'false', 'missed', 'runs', 'wasted', 'left', 'lost', 'ms beyond'];

export function tableOf(all) {
  const rows = all.map(({ scenario, played }) => cellsOf(scenario, played));
  const widths = COLUMNS.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column].length)));
  const line = (row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]))
      .join('  ')
      .trimEnd();
  const lines = all.flatMap(({ scenario, played }, index) => [line(rows[index]), ...remarksOf(scenario, played)]);
  return [line(COLUMNS), ...lines].join('\n');
}

function cellsOf({ mustEnd }, played) {
  const { name, ending, isResumed, falseDone, missedDone, runs, iterations, wastedRuns, wastedIterations } = played;
  return [
    name,
    isResumed ? `${ending}, resumed` : ending,
    mustEnd,
    falseDone ? 'YES' : 'no',
    missedDone ? 'YES' : 'no',
    `${runs} in ${iterations}`,
    `${wastedRuns} in ${wastedIterations}`,
    String(played.left.length),
    String(played.lost.length),
    played.beyondMs.toFixed(0),
  ];
}

/** Lines of their own, below the row. */
function remarksOf({ believed }, { invalid, falseDone, left, lost }) {
  return [
    ...(invalid === null ? [] : [`  INVALID: ${invalid}`]),
    ...(falseDone && believed !== undefined ? [`  ${believed}`] : []),
    ...left.map((what) => `  left: ${what}`),
    ...lost.map((what) => `  lost: ${what}`),
  ];
}

export function closingLine(all) {
  const valid = all.map(({ played }) => played).filter(({ invalid }) => invalid === null);
  const count = (fits) => valid.filter(fits).length;
  const sum = (figure) => valid.reduce((total, played) => total + figure(played), 0);
  return [
    `${count(({ isRight }) => isRight)} of ${valid.length} end as they must`,
    `${count(({ falseDone }) => falseDone)} false done`,
    `${count(({ missedDone }) => missedDone)} missed done`,
    `${sum(({ wastedRuns }) => wastedRuns)} runs and ${sum(({ wastedIterations }) => wastedIterations)} iterations wasted`,
    `${sum(({ left }) => left.length)} left behind`,
    `${sum(({ lost }) => lost.length)} lost`,
    ...(valid.length === all.length ? [] : [`${all.length - valid.length} invalid`]),
  ].join(', ');
}

/** A column for each harness, and the sums below. */
export function markdownOf(byHarness) {
  const row = (cells) => `| ${cells.join(' | ')} |`;
  const [{ all: scenarios }] = byHarness;
  const rows = scenarios.map(({ scenario: { name, mustEnd } }, index) => {
    return row([name, mustEnd, ...byHarness.map(({ all }) => inShort(all[index].played))]);
  });
  const title = ['scenario', 'must end', ...byHarness.map(({ harness }) => harness.name)];
  const sums = byHarness.map(({ harness, all }) => `- ${harness.name}: ${closingLine(all)}`);
  return [row(title), row(title.map(() => '---')), ...rows, '', ...sums].join('\n');
}

function inShort({ invalid, ending, isResumed, isRight, falseDone, runs, wastedRuns, left, lost }) {
  const end = falseDone ? 'false done' : isResumed ? `${ending}, resumed` : ending;
  return [
    isRight ? end : `**${end}**`,
    `${runs} ${runs === 1 ? 'run' : 'runs'}`,
    ...(wastedRuns === 0 ? [] : [`${wastedRuns} wasted`]),
    ...(left.length === 0 ? [] : [`**${left.length} left behind**`]),
    ...(lost.length === 0 ? [] : [`**${lost.length} lost**`]),
    ...(invalid === null ? [] : ['*invalid*']),
  ].join(', ');
}
