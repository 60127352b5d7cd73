/** What came of a run and when, in the words that every console uses. */
import { describeExit, type Fault, type Outcome } from '../../core/outcome.ts';
import type { Instant } from '../../core/time.ts';
import { printable } from '../../stream/printable.ts';

export function outcomeLines(outcome: Outcome): string[] {
  switch (outcome.kind) {
    case 'worked':
      return [];
    case 'failed':
      return [
        `Agent failed (${describeExit(outcome.exit)}${outcome.reason === undefined ? '' : `: ${outcome.reason}`})`,
      ];
    default:
      return [faultLine(outcome)];
  }
}

/** What kept the agent from its work. */
export function faultLine({ kind, reason }: Fault): string {
  return `${FAULTS[kind]}: ${printable(reason)}`;
}

const FAULTS: Readonly<Record<Fault['kind'], string>> = {
  limit: 'The agent reached its usage limit',
  auth: 'The agent could not authenticate',
  infrastructure: "A fault that is not the work's",
  hang: 'The agent hangs',
  blocked: 'The agent is blocked',
  tampered: 'The loop was tampered with',
  interrupted: 'The agent was interrupted',
};

/** `2026-11-15 17:30`, by the machine's own clock. */
export function clockTime(at: Instant): string {
  return clockSecond(at).slice(0, -':00'.length);
}

/** `2026-11-15 17:30:05`, by the machine's own clock. */
export function clockSecond(at: Instant): string {
  const local = new Date(at - new Date(at).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19).replace('T', ' ');
}
