/** The iterations of a loop in one row: height is duration, colour (or a mark, without colours) is outcome. */
import { MARKS, type Mark } from '../core/closing/closing-summary.ts';
import type { Instant } from '../core/time.ts';
import type { Bar } from '../views/timeline/iteration-bars.ts';
import { type Palette, STYLE_OF_MARK } from './palette.ts';

const HEIGHTS = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/** As many of the last bars as fit. `now`: for the height of a bar that still grows; null if the loop does not run. */
export function sparkline(bars: readonly Bar[], columns: number, now: Instant | null, paint: Palette): string {
  const shown = columns <= 0 ? [] : bars.slice(-columns);
  const lengths = shown.map(({ ms, since }) => ms + (since === null || now === null ? 0 : Math.max(0, now - since)));
  const longest = Math.max(1, ...lengths);
  const cells = shown.map(({ mark, since }, index) => {
    const height = Math.round(((lengths[index] ?? 0) / longest) * (HEIGHTS.length - 1));
    if (since !== null && now !== null) return paint('cyan', HEIGHTS[height] ?? '▁');
    if (!paint.hasColors && isTrouble(mark)) return MARKS[mark];
    return paint(mark === null ? null : STYLE_OF_MARK[mark], HEIGHTS[height] ?? '▁');
  });
  return `${cells.join('')}${' '.repeat(columns - shown.length)}`;
}

const isTrouble = (mark: Mark | null): mark is Mark => mark !== null && mark !== 'done';
