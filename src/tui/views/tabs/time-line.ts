/** What a loop did, iteration by iteration, as `ralph show` prints it. Pure. */
import { placeName } from '../../../views/loop-words.ts';
import { showLines } from '../../../views/show-lines.ts';
import { untilNow } from '../../../views/until-now.ts';
import type { Detail, LoopItem } from '../../data.ts';
import { safe } from '../../text.ts';
import type { Pane, PaneDrawing } from '../pane.ts';

export function timeLinePane({ timeline }: Detail, { loop, short }: LoopItem, drawing: PaneDrawing): Pane {
  const { paint, width, clock, cwd, now } = drawing;
  if (timeline === null) return { lines: [paint('dim', ' reading …')] };
  const place = placeName(loop.about.cwd ?? loop.cwd, cwd);
  const lines = showLines(untilNow(timeline, loop, now), { name: short, place, clock, width: width - 2 });
  return { lines: lines.map(({ text, style }) => ` ${paint(style ?? null, safe(text))}`) };
}
