/** The usage windows that an agent reports, and the share of them that is reserved for a person. Pure. */
import type { Instant } from '../time.ts';

/** A period over which a subscription counts usage. */
export interface QuotaWindow {
  /** The agent's name for it, such as `five_hour`. */
  readonly name: string;
  /** From 0 to 1; above 1 if more than all of it is used. */
  readonly used: number;
  /** When it resets; null if the agent does not say. */
  readonly resetsAt: Instant | null;
}

/** What an agent reported in another loop, or in an earlier run of this one. */
export interface QuotaNews {
  /** The name of its program. */
  readonly agent: string;
  readonly at: Instant;
  readonly windows: readonly QuotaWindow[];
}

/** The window that leaves a person less than their share (`--reserve`), and for the longest time; null if none does. */
export function overReserve(windows: readonly QuotaWindow[], reserve: number, at: Instant): QuotaWindow | null {
  const over = windows.filter(({ used, resetsAt }) => used > 1 - reserve && resetsAt !== null && resetsAt > at);
  return over.reduce<QuotaWindow | null>((last, one) => (endOf(one) > endOf(last) ? one : last), null);
}

const endOf = (window: QuotaWindow | null): Instant => window?.resetsAt ?? 0;

/** `five hour` */
export const windowName = ({ name }: QuotaWindow): string => name.replaceAll('_', ' ');

/** `82 %`; never rounded up to 100 %. */
export function percent(fraction: number): string {
  return `${fraction < 1 ? Math.min(99, Math.round(fraction * 100)) : Math.round(fraction * 100)} %`;
}
