/** Quiet hours: a time of day, by the wall clock, during which messages wait. */
import type { QuietHours } from '../config/notify-schema.ts';
import type { Instant } from '../core/time.ts';

const MINUTE = 60_000;
/** A day has at most 25 hours when clocks change. */
const LONGEST = 26 * 60;

/** When messages are sent again; null if they are sent now. `timeZone` defaults to the machine's own. */
export function quietUntil(hours: QuietHours | null, now: Instant, timeZone?: string): Instant | null {
  if (hours === null) return null;
  const clock = wallClock(timeZone);
  if (!isQuiet(hours, clock(now))) return null;
  // Minute by minute, because a clock change skips some minutes or repeats them.
  const next = Math.floor(now / MINUTE) * MINUTE;
  for (let minutes = 1; minutes <= LONGEST; minutes++) {
    const at = next + minutes * MINUTE;
    if (!isQuiet(hours, clock(at))) return at;
  }
  return null;
}

/** `from` and `to` are minutes of the day; the range may span midnight. */
function isQuiet({ from, to }: QuietHours, minute: number): boolean {
  return from < to ? minute >= from && minute < to : minute >= from || minute < to;
}

function wallClock(timeZone: string | undefined): (at: Instant) => number {
  const zone = timeZone === undefined ? {} : { timeZone };
  const format = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', ...zone });
  return (at) => {
    const [hour = '0', minute = '0'] = format.format(at).split(':');
    return Number(hour) * 60 + Number(minute);
  };
}
