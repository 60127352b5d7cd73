/** How much of its usage windows an agent has used, as it tells, and how much of them is a person's. Pure. */
import type { Instant } from '../time.ts';

/** A time over which a subscription counts. */
export interface QuotaWindow {
  /** As the agent calls it, such as `five_hour`. */
  readonly name: string;
  /** From 0 to 1; above that where more than all of it is used. */
  readonly used: number;
  /** When it resets; null where that is not told. */
  readonly resetsAt: Instant | null;
}

/** What an agent told in another loop, or in an earlier run of this one. */
export interface QuotaNews {
  /** The name of its program. */
  readonly agent: string;
  readonly at: Instant;
  readonly windows: readonly QuotaWindow[];
}

/** The window that leaves a person less than their share (`--reserve`), and for the longest time; null for none. */
export function overReserve(windows: readonly QuotaWindow[], reserve: number, at: Instant): QuotaWindow | null {
  const over = windows.filter(({ used, resetsAt }) => used > 1 - reserve && resetsAt !== null && resetsAt > at);
  return over.reduce<QuotaWindow | null>((last, one) => (endOf(one) > endOf(last) ? one : last), null);
}

const endOf = (window: QuotaWindow | null): Instant => window?.resetsAt ?? 0;

/** `five hour` */
export const windowName = ({ name }: QuotaWindow): string => name.replaceAll('_', ' ');

/** `82 %`; never rounded up to all of it. */
export function percent(fraction: number): string {
  return `${fraction < 1 ? Math.min(99, Math.round(fraction * 100)) : Math.round(fraction * 100)} %`;
}
