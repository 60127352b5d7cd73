/** The words of all consoles for the result of a run or a loop, and for times. */
import { rehearsalPrefix } from '../../config/environment.ts';
import { type ClosingSummary, type NextCommand, nextLines, verdictLines } from '../../core/closing/closing-summary.ts';
import { describeExit, type Fault, type Outcome } from '../../core/outcome.ts';
import type { Ran } from '../../core/record.ts';
import type { LoopState } from '../../core/state.ts';
import { linesOf } from '../../core/text/lines-of.ts';
import { WIDTH } from '../../core/text/wrap.ts';
import type { Instant } from '../../core/time.ts';
import { printable } from '../../stream/printable.ts';
import { painter, STYLES } from '../../views/paint.ts';

export function outcomeLines(outcome: Outcome): string[] {
  if (outcome.kind === 'worked') return [];
  if (outcome.kind !== 'failed') return [faultLine(outcome)];
  return [`Agent failed (${linesOf(describeExit(outcome.exit), outcome.reason).join(': ')})`];
}

/** Whether the loop's budget ended the run: then it has not failed. One that kept to a smaller budget has. */
export function isOutOfBudget({ outcome, endedBy }: Pick<Ran, 'outcome' | 'endedBy'>, { phase }: Phased): boolean {
  if (endedBy !== 'budget' || outcome.kind !== 'failed') return false;
  return outcome.reason === undefined || (phase.at === 'end' && phase.ending.kind === 'budget');
}

type Phased = Pick<LoopState<unknown>, 'phase'>;

export const OUT_OF_BUDGET = 'The agent was ended: its budget is used up';

export const faultLine = ({ kind, reason }: Fault): string => `${FAULTS[kind]}: ${printable(reason)}`;

const FAULTS: Readonly<Record<Fault['kind'], string>> = {
  limit: 'The agent reached its usage limit',
  auth: 'The agent could not authenticate',
  infrastructure: 'A fault outside the work',
  hang: 'The agent hangs',
  blocked: 'The agent is blocked',
  tampered: 'The loop was tampered with',
  interrupted: 'The agent was interrupted',
};

/** `2026-11-15 17:30`, in local time. */
export const clockTime = (at: Instant): string => clockSecond(at).slice(0, -':00'.length);

/** `2026-11-15 17:30:05`, in local time. */
export function clockSecond(at: Instant): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).replace('T', ' ');
}

/** Prints a loop's closing lines: the verdict stands out, below an empty line. `table`: the iterations before it. */
export function printClosing(
  summary: ClosingSummary,
  say: (line: string) => void,
  color: boolean,
  { table = [], width = WIDTH }: { readonly table?: readonly string[]; readonly width?: number } = {},
): void {
  const [first = '', ...rest] = verdictLines(summary, width).map(printable);
  const next = nextLines({ next: summary.next.map(inRehearsal) }, width).map(printable);
  const apart = table.length > 0 ? [''] : [];
  say('');
  say(painter(color)(STYLES[summary.mark], first));
  for (const line of [...rest, ...apart, ...table, ...apart, ...next]) say(line);
}

/** In a rehearsal, the next command is rehearsed, too; otherwise, it would call the real agent. */
function inRehearsal(next: NextCommand): NextCommand {
  const isOurs = /^(?:ralph|swarm) /.test(next.command);
  return isOurs ? { ...next, command: `${rehearsalPrefix()}${next.command}` } : next;
}
