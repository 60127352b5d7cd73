/** One page of an iteration's log, counted line by line, so that a large log is never in memory as a whole. */
import { setImmediate } from 'node:timers/promises';
import type { LoopMachine } from '../../core/machine/machine.ts';
import { WIDTH } from '../../core/text/wrap.ts';
import type { ReadableLoop } from '../../engine/store/loop-store.ts';
import { type LoggedRun, loopLog, runLines } from '../../views/loop-log.ts';
import type { ToolContext } from '../tool.ts';

export interface LogPage {
  readonly lines: readonly string[];
  /** The number of the first line, and that of the line after the last one. */
  readonly from: number;
  readonly next: number;
  /** How many lines there are so far; unless `next` is greater, there are more to read. */
  readonly total: number;
}

interface Wanted {
  readonly loop: ReadableLoop;
  readonly machine: LoopMachine<unknown>;
  readonly iteration: number;
  /** Null for the last lines. */
  readonly from: number | null;
  readonly most: number;
}

const LONGEST_LINE = 1000;
/** More would take up too much of a model's context. */
const MOST_CHARACTERS = 40_000;

export async function logPage(
  { loop, machine, iteration, from, most }: Wanted,
  { store, mask, show, signal }: ToolContext,
): Promise<LogPage> {
  const page = pageOf({ from, most }, { mask, show });
  const log = loopLog(machine, { mask, width: WIDTH, only: iteration });
  const copy = async (run: LoggedRun): Promise<void> => {
    const lines = runLines(run, mask, page.add);
    for (let at = 0; ; ) {
      signal.throwIfAborted();
      const part = await store.transcript(loop.id, run.transcript, { from: at });
      if (part === null || part.bytes.length === 0) break;
      at = part.next;
      lines.push(Buffer.from(part.bytes));
      // Lets other requests be answered in between.
      await setImmediate();
    }
    lines.end();
  };
  for (const record of await store.records(loop.id)) {
    const { lines, run } = log.take(record);
    for (const { text } of lines) page.add(text);
    if (run !== null) await copy(run);
  }
  return page.result();
}

function pageOf({ from, most }: Pick<Wanted, 'from' | 'most'>, { mask, show }: Pick<ToolContext, 'mask' | 'show'>) {
  let kept: string[] = [];
  let total = 0;
  const keep = (line: string): void => {
    total++;
    if (from === null) {
      kept.push(line);
      if (kept.length > 2 * most) kept = kept.slice(-most);
    } else if (total >= from && total < from + most) kept.push(line);
  };
  return {
    // A secret can have several lines, so mask it before splitting.
    add: (text: string): void => mask(text).split('\n').forEach(keep),
    result(): LogPage {
      const shown = (from === null ? kept.slice(-most) : kept).map((line) => show(line, LONGEST_LINE));
      const lines = from === null ? thoseThatFit(shown.toReversed()).toReversed() : thoseThatFit(shown);
      const first = from === null ? total - lines.length + 1 : Math.min(from, total + 1);
      return { lines, from: first, next: first + lines.length, total };
    },
  };
}

/** As many of the first lines as fit. */
function thoseThatFit(lines: readonly string[]): string[] {
  let room = MOST_CHARACTERS;
  return lines.filter((line) => {
    room -= line.length + 1;
    return room >= 0;
  });
}
