/** The plots of a report as SVG: when loops worked, what they cost, how long iterations took. Pure; text is escaped. */

import { dollars } from '../core/budget/usage.ts';
import { humanDuration, type Mark } from '../core/closing/closing-summary.ts';
import { escapeHtml } from '../core/text/markup.ts';
import type { Instant } from '../core/time.ts';
import { costWords } from '../views/timeline/spent.ts';
import type { LoopReport, Report } from './report.ts';

const WIDTH = 760;
const LEFT = 96;
const ROW = 26;

/** The page's style gives these classes their colours. */
const classOf = (mark: Mark | null): string => (mark === null ? 'open' : mark);

/** A row for each loop, a bar for each iteration. */
export function timePlot({ loops }: Report, clock: (at: Instant) => string): string {
  const bars = loops.flatMap(({ iterations }) => iterations);
  if (bars.length === 0) return '';
  const start = Math.min(...bars.map(({ startedAt }) => startedAt));
  const end = Math.max(start + 1, ...loops.map(({ at }) => at));
  const x = (at: Instant): number => LEFT + ((at - start) / (end - start)) * (WIDTH - LEFT - 8);
  const rows = loops.map((loop, index) => {
    const y = index * ROW + 4;
    const own = loop.iterations.map(({ startedAt, endedAt, outcome, number }) => {
      const [from, to] = [x(startedAt), x(endedAt ?? loop.at)];
      const title = `<title>${escapeHtml(`${loop.name}, iteration ${number}: ${outcome.words}`)}</title>`;
      const width = Math.max(2, to - from - 1).toFixed(1);
      return `<rect class="${classOf(outcome.mark)}" x="${from.toFixed(1)}" y="${y}" width="${width}" height="16">${title}</rect>`;
    });
    return `<text x="0" y="${y + 13}">${escapeHtml(loop.name)}</text>${own.join('')}`;
  });
  const height = loops.length * ROW + 22;
  const axis = [start, end].map((at, index) => {
    const anchor = index === 0 ? 'start' : 'end';
    return `<text x="${x(at).toFixed(1)}" y="${height - 4}" text-anchor="${anchor}" class="dim">${escapeHtml(clock(at))}</text>`;
  });
  return svg(height, [...rows, ...axis].join(''), 'When each loop worked; a bar is an iteration');
}

interface Bar {
  readonly value: number;
  readonly mark: Mark | null;
  readonly title: string;
}

const HEIGHT = 110;
const WIDEST_BAR = 32;
/** Fewer bars say nothing that the text above does not. */
const FEWEST_BARS = 3;

/** One bar for each iteration of a loop; empty if none has a value. */
function barPlot(bars: readonly Bar[], label: string, words: (value: number) => string): string {
  const most = Math.max(...bars.map(({ value }) => value), 0);
  if (most === 0 || bars.length < FEWEST_BARS) return '';
  const step = Math.min(WIDEST_BAR, (WIDTH - LEFT) / bars.length);
  const shapes = bars.map(({ value, mark, title }, index) => {
    const height = Math.max(1, (value / most) * (HEIGHT - 24));
    const x = (LEFT + index * step).toFixed(1);
    const size = `x="${x}" y="${(HEIGHT - height).toFixed(1)}" width="${Math.max(1, step - 2).toFixed(1)}"`;
    return `<rect class="${classOf(mark)}" ${size} height="${height.toFixed(1)}"><title>${escapeHtml(title)}</title></rect>`;
  });
  const top = `<text x="0" y="20">${escapeHtml(words(most))}</text><text x="0" y="${HEIGHT - 2}" class="dim">0</text>`;
  return svg(HEIGHT, top + shapes.join(''), label);
}

export function costPlot({ iterations }: LoopReport): string {
  const bars = iterations.map((iteration) => {
    const { costUsd, outcome, number } = iteration;
    return { value: costUsd ?? 0, mark: outcome.mark, title: `iteration ${number}: ${costWords(iteration)}` };
  });
  return barPlot(bars, 'Cost of each iteration', dollars);
}

export function timesPlot({ iterations }: LoopReport): string {
  const bars = iterations.map(({ workedMs, waitedMs, outcome, number }) => {
    const value = Math.max(0, workedMs - waitedMs);
    return { value, mark: outcome.mark, title: `iteration ${number}: ${humanDuration(value)}, ${outcome.words}` };
  });
  return barPlot(bars, 'Time of each iteration', humanDuration);
}

function svg(height: number, inner: string, label: string): string {
  return `<figure><svg viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="${escapeHtml(label)}">${inner}</svg><figcaption>${escapeHtml(label)}</figcaption></figure>`;
}
