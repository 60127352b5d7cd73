/** What the consoles of all loop kinds share: the agent's output on stdout, the rest on stderr, the closing lines. */

import { describeUsage } from '../../core/budget/usage.ts';
import type { ClosingSummary, Left } from '../../core/closing/closing-summary.ts';
import type { AgentEvent } from '../../core/events.ts';
import type { LoopState } from '../../core/state.ts';
import { maskAcrossLines } from '../../core/text/mask.ts';
import { wrap } from '../../core/text/wrap.ts';
import type { Driven } from '../../engine/drive.ts';
import { shortName } from '../../state/short-names.ts';
import { eventFormatter } from '../../stream/formatter.ts';
import { printable } from '../../stream/printable.ts';
import { type Paint, painter, type Style } from '../../views/paint.ts';
import type { TerminalOptions } from '../terminal.ts';
import { closingTable } from './iteration-table.ts';
import { lineWidth } from './line-width.ts';
import { liveOutput } from './live-output.ts';
import { refusalTeller } from './refusals.ts';
import { printClosing } from './words.ts';

const WRITE_AT_ONCE = 16 * 1024;
/** What a loop kind can put before its lines. */
const PREFIX = '[ralph] ';

/** A loop kind that puts something before its lines ignores the style. */
type ReportWith = (say: (line: string) => void, paint: Paint) => (line: string, style?: Style) => void;

/**
 * `reportWith` makes the function that prints a line about the loop, in the style of the loop kind. `allowing`: how to
 * allow the agent what it was refused.
 */
export function openConsole(
  options: TerminalOptions & { readonly verbose?: boolean },
  allowing: string,
  reportWith: ReportWith = (say, paint) => (line, style) => {
    const shown = printable(line);
    say(style === undefined ? shown : paint(style, shown));
  },
) {
  const { stdout, stderr, mask, verbosity, root } = options;
  const showsAll = verbosity === 'all';
  const write = (sink: NodeJS.WriteStream, text: string): unknown => sink.write(live.above(sink, text));
  const maskShown = maskAcrossLines(mask);
  let format = eventFormatter();
  let shown = '';
  const flush = (): void => {
    if (shown !== '') write(stdout, shown);
    shown = '';
  };
  /** Combines many small events into one write, and still keeps the order with lines about the loop. */
  const showText = (text: string | null): void => {
    const masked = text === null || !showsAll ? null : maskShown(text);
    if (masked === null) return;
    if (shown === '') queueMicrotask(flush);
    shown += `${masked}\n`;
    if (shown.length > WRITE_AT_ONCE) flush();
  };
  const say = (line: string): void => {
    flush();
    write(stderr, `${mask(line)}\n`);
  };
  /** In a file or for another program, it stays one line. */
  const fitted = (line: string): string[] => (stderr.isTTY ? wrap(line, '', '  ', width() - PREFIX.length) : [line]);
  const report = reportWith(say, painter(options.stderrColor));
  const refusals = refusalTeller(stderr.isTTY && options.verbose !== true, (text) => {
    for (const line of fitted(`Sandbox: ${text}`)) report(line, 'yellow');
  });
  const live = liveOutput(options, report);
  /** Its name in `ralph ls`. */
  const nameOf = (id: string): string => shortName(root, id);
  const width = (): number => lineWidth(stderr);
  return {
    say,
    report,
    nameOf,
    /** Columns of a line about the loop. */
    width,
    /** Prints a line that only frames the agent's output, if that is shown. `print`: `say` or `report`. */
    frame(line: string, print = say): void {
      if (showsAll) print(line);
    },
    live,
    showText,
    ready(): Promise<void> | null {
      const behind = [stdout, stderr].find((sink) => sink.writableNeedDrain && !sink.destroyed);
      return behind === undefined ? null : catchingUp(behind);
    },
    /** Every run of an agent has its own formatter. */
    formatWith(formatter: typeof format): void {
      format = formatter;
    },
    /** `streams`: false to show only stderr, notices and refusals, and not what the agent says and does. */
    showProgress(event: AgentEvent, streams = true): void {
      if (event.type === 'stderr' && showsAll) say(printable(event.text));
      if (event.type === 'notice')
        report(`Agent: ${event.text}${event.about === 'permissions' ? `: ${allowing}` : ''}`);
      if (event.type === 'refusal') refusals.tell(event.text);
      if (streams) showText(format(event));
    },
    /** Called when the agent has ended. */
    runEnded: refusals.sumUp,
    close(
      machine: Parameters<typeof closingTable>[2],
      state: LoopState<unknown>,
      lines: readonly string[],
      closing: ClosingSummary,
      color = options.stderrColor,
    ): void {
      refusals.sumUp();
      const { id, usage } = state;
      if (usage.runs > 0) report(wrap(`Usage: ${describeUsage(usage)}`, '', '  ', width() - PREFIX.length).join('\n'));
      for (const line of lines.flatMap(fitted)) report(line);
      const table = closingTable(root, id, machine, { paint: painter(color), width: width() });
      const show = { command: `ralph show ${id}`, why: 'the whole story' };
      const commands = table.length > 0 ? [...closing.next, show] : closing.next;
      const name = nameOf(id);
      const next = commands.map(({ command, why }) => ({ command: command.replace(id, name), why }));
      printClosing({ ...closing, next }, say, color, { table, width: width() });
    },
  };
}

/** Resolves when the reader has caught up, or when it has gone and never will. */
function catchingUp(sink: NodeJS.WriteStream): Promise<void> {
  const events = ['drain', 'close', 'error'];
  return new Promise((resolve) => {
    const goOn = (): void => {
      for (const event of events) sink.off(event, goOn);
      resolve();
    };
    for (const event of events) sink.on(event, goOn);
  });
}

export const leftBy = (driven: Driven): Left => (driven.kind === 'ended' ? driven.ending : { kind: 'interrupted' });
