/** What the loop's console shows: its agent's words and tools, the verdicts of checks, how iterations ended. */
import { questionOf } from '../../../core/state.ts';
import type { LogLine } from '../../../views/loop-log.ts';
import type { Detail, LoopItem, StreamText } from '../../data.ts';
import type { Palette, Style } from '../../palette.ts';
import { wrapped } from '../../text.ts';
import type { Pane, PaneDrawing } from '../pane.ts';

interface Drawn {
  readonly width: number;
  readonly paint: Palette;
  /** How many of the lines are drawn. */
  upTo: number;
  readonly lines: string[];
}

/** A cache: of thousands of lines, only the few new ones are drawn each time. */
const drawnBefore = new WeakMap<StreamText, Drawn>();

export function streamPane({ stream }: Detail, { loop }: LoopItem, { width, paint }: PaneDrawing): Pane {
  const before = drawnBefore.get(stream);
  const drawn =
    before?.width === width && before.paint === paint
      ? before
      : { width, paint, upTo: 0, lines: headOf(stream, paint) };
  for (; drawn.upTo < stream.lines.length; drawn.upTo++) {
    const line = stream.lines[drawn.upTo];
    if (line !== undefined) drawn.lines.push(...drawnLine(line, width, paint));
  }
  drawnBefore.set(stream, drawn);
  const question = questionOf(loop);
  const asked =
    question === null ? [] : ['', ...wrapped(`! ${question}`, width - 2).map((text) => ` ${paint('yellow', text)}`)];
  if (drawn.lines.length > 0 || asked.length > 0)
    return { lines: asked.length === 0 ? drawn.lines : [...drawn.lines, ...asked] };
  const where =
    loop.loopKind === 'session' ? ' Its agent works in a session; look at it there.' : ' Nothing was printed yet.';
  return { lines: [paint('dim', where)] };
}

const headOf = ({ isCut }: StreamText, paint: Palette): string[] =>
  isCut ? [paint('dim', ' … what came before: press o to read all of it in your pager')] : [];

export function drawnLine({ text, style }: LogLine, width: number, paint: Palette): string[] {
  return wrapped(text, width - 2).map((line) => ` ${paint(style ?? styleOf(line), line)}`);
}

/** The colours that the console gives an agent's lines. */
function styleOf(text: string): Style | null {
  if (text.startsWith('⏺')) return 'cyan';
  if (text.startsWith('✅')) return 'green';
  if (text.startsWith('❌')) return 'red';
  return /^(?: {2}⎿| {6})/.test(text) ? 'dim' : null;
}
