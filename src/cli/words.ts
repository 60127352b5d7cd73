/** What came of a run and when, in the words that every console uses. */
import { describeExit, type Outcome } from '../core/outcome.ts';
import type { Instant } from '../core/time.ts';
import { printable } from '../stream/printable.ts';

export function outcomeLines(outcome: Outcome): string[] {
  switch (outcome.kind) {
    case 'worked':
      return [];
    case 'failed':
      return [
        `Agent failed (${describeExit(outcome.exit)}${outcome.reason === undefined ? '' : `: ${outcome.reason}`})`,
      ];
    default:
      return [`Agent ${outcome.kind}: ${printable(outcome.reason)}`];
  }
}

/** `2026-11-15 17:30`, by the machine's own clock. */
export function clockTime(at: Instant): string {
  return clockSecond(at).slice(0, -':00'.length);
}

/** `2026-11-15 17:30:05`, by the machine's own clock. */
export function clockSecond(at: Instant): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).replace('T', ' ');
}
