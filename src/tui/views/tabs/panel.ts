/** Text that is read when it is looked at: a diff, the stories, the message bus. Pure. */
import type { Panel } from '../../data.ts';
import { wrapped } from '../../text.ts';
import type { Pane, PaneDrawing } from '../pane.ts';
import { drawnLine } from './stream.ts';

export function panelPane(panel: Panel | undefined, heading: string | null, { width, paint }: PaneDrawing): Pane {
  const head = heading === null ? [] : [paint('bold', ` ${heading}`)];
  if (panel === undefined) return { lines: [...head, paint('dim', ' reading …')] };
  if (panel.problem !== null)
    return { lines: [...head, ...wrapped(panel.problem, width - 2).map((line) => ` ${paint('yellow', line)}`)] };
  return { lines: [...head, ...panel.lines.flatMap((line) => drawnLine(line, width, paint))] };
}
