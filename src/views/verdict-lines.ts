/** The lines around an iteration: a rule above it, a verdict for every check, the end of what a failed one printed. */
import { resolve } from 'node:path';
import { partOf } from '../checks/log-file.ts';
import { type Checked, describeOutcome, hasPassed } from '../core/check.ts';
import { humanDuration, MARKS } from '../core/closing/closing-summary.ts';
import type { Mask } from '../core/text/mask.ts';
import { WIDTH } from '../core/text/wrap.ts';
import type { Duration } from '../core/time.ts';
import { columnsOf, cutToColumns, padToColumns } from '../stream/columns.ts';
import { printable } from '../stream/printable.ts';
import type { Paint } from './paint.ts';

const RULE_WIDTH = 72;
/** As wide as `exit 127`. */
const EXIT_WIDTH = 8;
const LONGEST_EXIT = 32;
const TIME_WIDTH = 7;
/** Mark, exit, time, and the blanks between them. */
const BESIDE_LABEL = '✗ '.length + 2 + EXIT_WIDTH + 2 + TIME_WIDTH;
const TAIL_LINES = 6;
const TAIL_CHARS = 4000;
const TAIL_INDENT = '    ';

/** `── 2/10 ────`; shorter on a narrow screen. */
export function ruleLine(what: string, screen: number | undefined): string {
  const begin = `── ${what} `;
  return begin + '─'.repeat(Math.max(2, Math.min(RULE_WIDTH, screen ?? RULE_WIDTH) - columnsOf(begin)));
}

/** `commands`: those of all checks, so that the verdicts line up. */
export function checkLine(checked: Checked, commands: readonly string[], paint: Paint, width = WIDTH): string {
  const passed = hasPassed(checked);
  // Some kinds of check describe success, too: `12 tests`.
  const told = passed && !('how' in checked.outcome) ? '' : describeOutcome(checked.outcome);
  const exit = cutToColumns(inOneLine(told), LONGEST_EXIT);
  const labels = commands.map(inOneLine);
  const widest = Math.min(width - BESIDE_LABEL, Math.max(0, ...labels.map(columnsOf)));
  // A longer exit takes its room from the label, and moves the time only if that is not enough.
  const excess = Math.max(0, columnsOf(exit) - EXIT_WIDTH);
  const whole = labels[checked.index % labels.length] ?? '';
  const label = padToColumns(cutToColumns(whole, width - BESIDE_LABEL - excess), widest - excess);
  const time = secondsOf(checked.durationMs).padStart(TIME_WIDTH);
  const line = `${MARKS[passed ? 'done' : 'failed']} ${label}  ${padToColumns(exit, EXIT_WIDTH)}  ${time}`;
  return paint(passed ? 'green' : 'red', line);
}

/** The last lines that a failed check printed, and the path of its log; nothing for one that passed. */
export function failureLines(
  checked: Checked,
  cwd: string,
  { mask, paint, width = WIDTH }: { readonly mask: Mask; readonly paint: Paint; readonly width?: number },
): string[] {
  if (hasPassed(checked)) return [];
  const { output, truncated, log } = checked;
  const said = truncated ? partOf(resolve(cwd, log), TAIL_CHARS, 'end').output : output;
  const shown = outputTail(mask(said)).map((line) => `${TAIL_INDENT}${cutToColumns(line, width - TAIL_INDENT.length)}`);
  return [...shown, paint('dim', `${TAIL_INDENT}${printable(log)}`)];
}

/** The last lines that are not empty. */
export function outputTail(output: string): string[] {
  const lines = output.split('\n').map((line) => printable(line).replaceAll('\t', '  ').trimEnd());
  return lines.filter((line) => line !== '').slice(-TAIL_LINES);
}

/** `0.8s`, `42.1s`, `3m 12s` */
export function secondsOf(ms: Duration): string {
  return ms < 59_950 ? `${(ms / 1000).toFixed(1)}s` : humanDuration(ms);
}

export function inOneLine(text: string): string {
  return printable(text).replaceAll(/\s+/g, ' ').trim();
}
