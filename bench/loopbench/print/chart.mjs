/** The sums of all harnesses as one SVG: a panel for each figure, a bar for each harness. Shorter is always better. */
import { sumsOf } from './sums.mjs';

/** `scale`: the figure that a bar of full length stands for, unless it is the longest bar. */
const PANELS = [
  { title: 'False done', figure: 'falseDone', scale: 'plays', unit: 'of all plays' },
  { title: 'Missed done', figure: 'missedDone', scale: 'mustBeDone', unit: 'of the plays that must end as done' },
  { title: 'Iterations wasted', figure: 'wastedIterations' },
  { title: 'Tokens wasted', figure: 'wastedTokens', unit: 'including those for commit messages' },
  { title: 'Processes, mounts and cgroups left behind', figure: 'left' },
  { title: 'Files and commits lost', figure: 'lost' },
];
const WIDTH = 720;
const LABELS = 130;
const LONGEST = 500;
const ROW = 22;
const TITLE = 30;
const BAR = 14;

/** Readable on a light and on a dark page, because the background is transparent. */
const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328; }
  .title { font-weight: 600; }
  .of { fill: #59636e; }
  .track { fill: #818b98; fill-opacity: 0.2; }
  .bar { fill: #0969da; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .of { fill: #9198a1; }
    .bar { fill: #4493f8; }
  }`;

export function chartOf(results) {
  const sums = results.map(({ harness, rows }) => ({ name: harness.name, ...sumsOf(rows) }));
  const panelHeight = TITLE + sums.length * ROW + 8;
  const height = PANELS.length * panelHeight + 8;
  const panels = PANELS.map((panel, index) => panelOf(panel, sums, index * panelHeight));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    `<title>LoopBench: ${escaped(sums.map(({ name }) => name).join(', '))}</title>`,
    `<style>${STYLE}\n</style>`,
    ...panels.flat(),
    '</svg>',
  ].join('\n');
}

function panelOf({ title, figure, scale, unit }, sums, top) {
  const longest = Math.max(1, ...sums.map((each) => each[figure]));
  const of = unit === undefined ? '' : ` <tspan class="of">${unit}</tspan>`;
  return [
    `<text class="title" x="8" y="${top + 22}">${title}${of}</text>`,
    ...sums.flatMap((each, index) => {
      const y = top + TITLE + index * ROW;
      const value = each[figure];
      const whole = scale === undefined ? longest : Math.max(1, each[scale]);
      const width = Math.round((value / whole) * LONGEST);
      const shown = scale === undefined ? grouped(value) : `${value} of ${each[scale]}`;
      return [
        `<text x="8" y="${y + 12}">${escaped(each.name)}</text>`,
        `<rect class="track" x="${LABELS}" y="${y}" width="${LONGEST}" height="${BAR}" rx="2"/>`,
        ...(width === 0 ? [] : [`<rect class="bar" x="${LABELS}" y="${y}" width="${width}" height="${BAR}" rx="2"/>`]),
        `<text x="${LABELS + LONGEST + 8}" y="${y + 12}">${shown}</text>`,
      ];
    }),
  ];
}

const grouped = (value) => value.toLocaleString('en-US');

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
