/** Times and durations as seed 000 writes them: local, without a zone. */
import type { Duration, Instant } from '../../../core/time.ts';

/** `2024-01-15T10:30:00.123000` */
export function isoMicroseconds(at: Instant): string {
  return `${local(at).slice(0, 23)}000`;
}

/** `2024-01-15T10:30:00` */
export function isoSeconds(at: Instant): string {
  return local(at).slice(0, 19);
}

/** `2024-01-15 10:30:00`, from either form above. */
export function readable(iso: string): string {
  return iso.slice(0, 19).replace('T', ' ');
}

/** `42s`, `5m 42s`, `1h 15m` on the console. */
export function spokenDuration(ms: Duration): string {
  return parts(ms).join(' ');
}

/** `42s`, `5m42s`, `1h15m` in the log. */
export function writtenDuration(ms: Duration): string {
  return parts(ms).join('');
}

function parts(ms: Duration): string[] {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return [`${seconds}s`];
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? [`${minutes}m`, `${seconds % 60}s`] : [`${Math.floor(minutes / 60)}h`, `${minutes % 60}m`];
}

function local(at: Instant): string {
  return new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString();
}
