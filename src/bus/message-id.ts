/** When a message was written and the id that follows from it: `MSG-20260223-191710-184887000-PID67946-0001`. */

/** Nanoseconds since the epoch. */
export type Clock = () => bigint;

const LAST_SEQ = 9999;
/** A clock that was set since the start of this process: from here on its own milliseconds are better than our count. */
const TOLERATED_MS = 50;

/** To the microsecond, and never back within a process unless the machine's clock was set. */
export function machineClock(): bigint {
  const coarse = Date.now();
  const fine = performance.timeOrigin + performance.now();
  const ms = Math.abs(fine - coarse) < TOLERATED_MS ? fine : coarse;
  return BigInt(Math.floor(ms * 1000)) * 1000n;
}

export function stampAt(nanos: bigint, pid: number, seq: number): { msgId: string; ts: string } {
  const iso = new Date(Number(nanos / 1_000_000n)).toISOString();
  const fraction = String(nanos % 1_000_000_000n).padStart(9, '0');
  const second = iso.slice(0, 19);
  const compact = compactSecond(iso);
  return {
    msgId: `MSG-${compact}-${fraction}-PID${pid}-${String(seq).padStart(4, '0')}`,
    ts: `${second}.${fraction.slice(0, 6)}Z`,
  };
}

/** `20260223-191710` of `2026-02-23T19:17:10.184Z`. */
export function compactSecond(iso: string): string {
  return iso.slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
}

/**
 * Counts on from the bus's last message, under the lock. So two messages of one bus that got the same time from a clock
 * that was set back, or that were written under one pid in two containers, still differ.
 */
export function seqAfter(lastId: string | undefined): number {
  const last = Number(/^MSG-.*-(\d{4,})$/.exec(lastId ?? '')?.[1] ?? 0);
  return last >= LAST_SEQ ? 1 : last + 1;
}
