/** Prints a loop's closing lines: the verdict stands out, below an empty line. */
import { styleText } from 'node:util';
import { rehearsalPrefix } from '../../config/environment.ts';
import { type ClosingSummary, closingLines, type Mark, type NextCommand } from '../../core/closing-summary.ts';
import { printable } from '../../stream/printable.ts';

const COLORS = { done: 'green', failed: 'red', 'needs-you': 'yellow' } as const satisfies Record<Mark, string>;

export function closingPrinter(say: (line: string) => void, color: boolean): (summary: ClosingSummary) => void {
  return (summary) => {
    const [first = '', ...rest] = closingLines({ ...summary, next: summary.next.map(inRehearsal) }).map(printable);
    say('');
    say(color ? styleText(COLORS[summary.mark], first, { validateStream: false }) : first);
    for (const line of rest) say(line);
  };
}

/** In a rehearsal the next command is rehearsed, too: by itself it would call the real agent. */
function inRehearsal(next: NextCommand): NextCommand {
  const isOurs = /^(?:ralph|swarm) /.test(next.command);
  return isOurs ? { ...next, command: `${rehearsalPrefix()}${next.command}` } : next;
}
