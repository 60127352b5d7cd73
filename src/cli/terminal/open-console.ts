/** What the consoles of all loop kinds share: the agent's output on stdout, what happens besides on stderr, the closing lines. */
import type { ClosingSummary, Left } from '../../core/closing/closing-summary.ts';
import type { AgentEvent } from '../../core/events.ts';
import type { LoopState } from '../../core/state.ts';
import { maskAcrossLines } from '../../core/text/mask.ts';
import { WIDTH, wrap } from '../../core/text/wrap.ts';
import { describeUsage } from '../../core/usage.ts';
import type { Driven } from '../../engine/drive.ts';
import { loopIds } from '../../state/registry.ts';
import { eventFormatter } from '../../stream/formatter.ts';
import { printable } from '../../stream/printable.ts';
import { shortNames } from '../../views/loop-names.ts';
import type { TerminalOptions } from '../terminal.ts';
import { closingTable } from './iteration-table.ts';
import { liveOutput } from './live-output.ts';
import { painter } from './paint.ts';
import { printClosing } from './words.ts';

const WRITE_AT_ONCE = 16 * 1024;
/** What stays of a line behind what a loop kind may put before it. */
const USAGE_WIDTH = WIDTH - '[ralph] '.length;

/** `reportWith` makes the function that prints a line about the loop, in the manner of the loop kind. */
export function openConsole(
  options: TerminalOptions,
  reportWith = (say: (line: string) => void) => (line: string) => say(printable(line)),
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
  /** Many small events make one write; what is said about the loop still comes in order. */
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
  const report = reportWith(say);
  const live = liveOutput(options, report);
  /** As `ralph ls` calls it. */
  const nameOf = (id: string): string => shortNames([...loopIds(root), id]).get(id) ?? id;
  return {
    say,
    report,
    nameOf,
    /** Prints a line that only frames what is shown of the agent, with `say` or `report`. */
    frame(line: string, print = say): void {
      if (showsAll) print(line);
    },
    live,
    showText,
    ready(): Promise<void> | null {
      const behind = [stdout, stderr].find((sink) => sink.writableNeedDrain && !sink.destroyed);
      return behind === undefined ? null : catchingUp(behind);
    },
    /** Every run of an agent is shown by a formatter of its own. */
    formatWith(formatter: typeof format): void {
      format = formatter;
    },
    /** `streams` is false where only what the agent reports besides its work is shown. */
    showProgress(event: AgentEvent, streams = true): void {
      if (event.type === 'stderr' && showsAll) say(printable(event.text));
      if (event.type === 'notice') report(`Agent: ${event.text}`);
      if (event.type === 'refusal') report(`Sandbox: ${event.text}`);
      if (streams) showText(format(event));
    },
    close(
      state: LoopState<unknown>,
      lines: readonly string[],
      closing: ClosingSummary,
      color = options.stderrColor,
    ): void {
      const { id, usage } = state;
      if (usage.runs > 0) report(wrap(`Usage: ${describeUsage(usage)}`, '', '  ', USAGE_WIDTH).join('\n'));
      for (const line of lines) report(line);
      const table = closingTable(root, id, painter(color));
      const show = { command: `ralph show ${id}`, why: 'the whole story' };
      const commands = table.length > 0 ? [...closing.next, show] : closing.next;
      const name = nameOf(id);
      const next = commands.map(({ command, why }) => ({ command: command.replace(id, name), why }));
      printClosing({ ...closing, next }, say, color, table);
    },
  };
}

/** A reader that goes away never catches up, and is not waited for. */
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
