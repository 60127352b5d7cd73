/** What the message of a failed Codex turn means. Codex tells statuses and limits in words only. */
import type { Fault } from '../../core/outcome.ts';
import type { Instant } from '../../core/time.ts';
import { faultOfRefusal, shortened } from '../reading/api-fault.ts';
import { resetTimeIn } from '../reading/reset-time.ts';

export function codexFault(message: string, now: Instant): Fault | null {
  if (/\bhit your usage limit\b|\bquota exceeded\b/i.test(message)) {
    return { kind: 'limit', reason: shortened(message), resetAt: resetTimeIn(message, now) };
  }
  if (/\bexperiencing high demand\b|\bat capacity\b/i.test(message)) {
    return { kind: 'infrastructure', reason: shortened(message) };
  }
  const status = /\b(?:unexpected status|last status:?) (\d{3})\b/.exec(message)?.[1];
  if (status === undefined) return null;
  return faultOfRefusal({ status: Number(status), message, resetAt: resetTimeIn(message, now) });
}
