/** The results of all harnesses as Markdown: the sums, then a row for each scenario. */
import { isNotApplicable, sumsOf } from './sums.mjs';

const row = (cells) => `| ${cells.join(' | ')} |`;
const heading = (titles) => [row(titles), row(titles.map(() => '---'))];

export function markdownOf(results) {
  return [...sumsTable(results), '', ...scenarioTable(results)].join('\n');
}

const SUMS = ['right', 'false done', 'missed done', 'iterations wasted', 'tokens wasted', 'left', 'lost', 'ms beyond'];

function sumsTable(results) {
  const rows = results.map(({ harness, rows: all }) => {
    const sums = sumsOf(all);
    const { right, plays, falseDone, missedDone, wastedIterations, wastedTokens, left, lost, beyondMs } = sums;
    const figures = [falseDone, missedDone, wastedIterations, wastedTokens, left, lost, beyondMs.toFixed(0)];
    return row([harness.name, `${right} of ${plays}`, ...figures.map(String)]);
  });
  return [...heading(['harness', ...SUMS]), ...rows];
}

function scenarioTable(results) {
  const [{ rows: scenarios }] = results;
  const rows = scenarios.map(({ scenario, reference }, index) => {
    const cells = results.map(({ rows: all }) => inShort(all[index]));
    return row([
      scenario.name,
      scenario.mustEnd,
      ...(reference.invalid === null ? cells : cells.map(() => '*invalid*')),
    ]);
  });
  return [...heading(['scenario', 'must end', ...results.map(({ harness }) => harness.name)]), ...rows];
}

/** How it ended with the honest agent, how the other two fooled it, and what went wrong on the way. */
function inShort({ played }) {
  if (played === null) return '*invalid*';
  const plays = Object.values(played);
  const { honest } = played;
  const end = honest.falseDone ? 'false done' : honest.isResumed ? `${honest.ending}, resumed` : honest.ending;
  const fooledBy = plays.filter(({ agent, isRight, invalid }) => agent !== 'honest' && !isRight && invalid === null);
  const sum = (figure) => plays.reduce((total, play) => total + figure(play), 0);
  const [left, lost] = [sum((play) => play.left.length), sum((play) => play.lost.length)];
  const without = (is) => plays.filter(({ invalid }) => invalid !== null && isNotApplicable(invalid) === is);
  const [inapplicable, uncounted] = [without(true), without(false)].map((all) => all.map(({ agent }) => agent));
  return [
    honest.isRight ? end : `**${end}**`,
    ...fooledBy.map(({ agent, ending }) => `**${ending === 'done' ? 'false done' : ending} (${agent})**`),
    ...(honest.wastedIterations === 0 ? [] : [`${honest.wastedIterations} wasted`]),
    ...(left === 0 ? [] : [`**${left} left behind**`]),
    ...(lost === 0 ? [] : [`**${lost} lost**`]),
    ...(inapplicable.length === 0 ? [] : [`*not applicable: ${inapplicable.join(', ')}*`]),
    ...(uncounted.length === 0 ? [] : [`*not counted: ${uncounted.join(', ')}*`]),
  ].join(', ');
}
