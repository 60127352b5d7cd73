/** What `ralph run` shows of the checks that are red before the first iteration. */
import { type Checked, describeOutcome, hasPassed } from '../../core/check.ts';
import { wrap } from '../../core/text/wrap.ts';
import { printable } from '../../stream/printable.ts';
import type { Paint } from '../../views/paint.ts';
import { inOneLine } from '../../views/verdict-lines.ts';

/** `Before the first iteration: npm run lint is red (exit 1).` */
export function baselineLines(checked: Checked, commands: readonly string[], paint: Paint, width: number): string[] {
  if (hasPassed(checked)) return [];
  const how = inOneLine(describeOutcome(checked.outcome));
  const line = `Before the first iteration: ${inOneLine(commands[checked.index] ?? '')} is red (${how}).`;
  const shown = wrap(line, '', '  ', width).map((part) => paint('yellow', part));
  return [...shown, paint('dim', `    ${printable(checked.log)}`)];
}
