/** Claude Code's plain output: the answer, or one line that tells why there is none. */
import type { Fault } from '../../core/outcome.ts';
import type { Instant } from '../../core/time.ts';
import { plainParser } from '../plain/profile.ts';
import type { AgentParser } from '../profile.ts';
import { faultOfRefusal, shortened } from '../reading/faults.ts';
import { resetTimeIn } from '../reading/reset-time.ts';
import { faultEvents } from '../reading/stream-events.ts';

/** An answer may begin with the same words; they only count when the run has failed. */
export function claudeTextParser(now: () => Instant = Date.now): AgentParser {
  const { parse, ...plain } = plainParser();
  return {
    ...plain,
    parse: (line) => [...parse(line), ...faultEvents(claudeFault(line.slice(0, 500), now()))],
  };
}

/** Its own words, in either mode; no status comes with them. */
export function isNotLoggedIn(text: string): boolean {
  return /^(?:Not logged in|Invalid API key|Failed to authenticate)\b/.test(text);
}

/** What a line of its own words says about a run that came to nothing. */
export function claudeFault(line: string, now: Instant): Fault | null {
  if (/^You['’]ve hit your\b.*\blimit\b/.test(line)) {
    return { kind: 'limit', reason: shortened(line), resetAt: resetTimeIn(line, now) };
  }
  if (isNotLoggedIn(line)) {
    return { kind: 'auth', reason: shortened(line) };
  }
  const status = /^API Error: (?:Request rejected \()?(\d{3})\b/.exec(line)?.[1];
  return status === undefined ? null : faultOfRefusal({ status: Number(status), message: line });
}
