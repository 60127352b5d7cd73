/** What `ralph run` shows about progress: what was red before, that it is stuck, and the plan that came of it. */
import { type Checked, describeOutcome, hasPassed } from '../../core/check.ts';
import { MARKS } from '../../core/closing/closing-summary.ts';
import type { LoopState } from '../../core/state.ts';
import type { Mask } from '../../core/text/mask.ts';
import { wrap } from '../../core/text/wrap.ts';
import { cutToColumns } from '../../stream/columns.ts';
import { printable } from '../../stream/printable.ts';
import type { Paint } from '../terminal/paint.ts';
import { inOneLine } from '../terminal/verdict-lines.ts';

/** `Before the first iteration: npm run lint is red (exit 1).` */
export function baselineLines(checked: Checked, commands: readonly string[], paint: Paint, width: number): string[] {
  if (hasPassed(checked)) return [];
  const how = inOneLine(describeOutcome(checked.outcome));
  const line = `Before the first iteration: ${inOneLine(commands[checked.index] ?? '')} is red (${how}).`;
  const shown = wrap(line, '', '  ', width).map((part) => paint('yellow', part));
  return [...shown, paint('dim', `    ${printable(checked.log)}`)];
}

/** An extra call costs money: it is announced. */
export function pivotLines({ progress }: Pick<LoopState<unknown>, 'progress'>, paint: Paint, width: number): string[] {
  const line = `${MARKS['needs-you']} Stuck: ${inOneLine(progress.stuck ?? '')}. Asking the agent once for a different plan (an extra call).`;
  return wrap(line, '', '  ', width).map((part) => paint('yellow', part));
}

const SHOWN_PLAN_LINES = 8;

export function planLines({ progress }: Pick<LoopState<unknown>, 'progress'>, mask: Mask, width: number): string[] {
  const lines = mask(progress.pivot?.plan ?? '')
    .split('\n')
    .map((line) => printable(line).replaceAll('\t', '  ').trimEnd())
    .filter((line) => line !== '');
  if (lines.length === 0) return ['No plan came of it; the loop goes on without.'];
  const more = lines.length > SHOWN_PLAN_LINES ? ['    …'] : [];
  const shown = lines.slice(0, SHOWN_PLAN_LINES).map((line) => `    ${cutToColumns(line, width - 4)}`);
  return ['The plan, which stands in the next prompts until there is progress:', ...shown, ...more];
}
