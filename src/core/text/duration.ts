/** Durations as people write and read them: `500ms`, `5s`, `2m`, `1h30m`. */
import type { Duration } from '../time.ts';

const UNITS = new Map(Object.entries({ ns: 1e-6, us: 1e-3, µs: 1e-3, ms: 1, s: 1000, m: 60_000, h: 3_600_000 }));
const PART = /(\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h)/g;

function sumOf(text: string): Duration {
  const parts = [...text.matchAll(PART)];
  return Math.round(parts.reduce((sum, [, number, unit]) => sum + Number(number) * (UNITS.get(unit ?? '') ?? 0), 0));
}

/** Null for text that is not a duration, and for a duration of zero. */
export function parseDuration(text: string): Duration | null {
  return /^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$/.test(text) ? sumOf(text) || null : null;
}

/** `1h2m`, `6m7s`, `42s`, and `700ms` below a second. */
export function formatDuration(ms: Duration): string {
  if (ms > 0 && ms < 1000) return `${Math.round(ms)}ms`;
  const seconds = Math.round(ms / 1000);
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor((seconds % 3600) / 60), seconds % 60];
  const parts = [hours > 0 ? `${hours}h` : '', minutes > 0 ? `${minutes}m` : '', rest > 0 ? `${rest}s` : ''];
  return parts.join('') || '0s';
}

/** As Go programs accept them: `168h0m0s`, `1.5h`, `300us`, and `0`, even without a unit. Null for anything else. */
export function parseGoDuration(text: string): Duration | null {
  return /^\+?(?:0|(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|ms|s|m|h))+)$/.test(text) ? sumOf(text) : null;
}

/** `5m0s`, `1h0m0s`, `1.5s`, `500ms`: as seed 002 writes them. */
export function formatGoDuration(ms: Duration): string {
  if (ms === 0) return '0s';
  if (ms < 1000) return `${ms}ms`;
  const [hours, minutes] = [Math.floor(ms / 3_600_000), Math.floor((ms % 3_600_000) / 60_000)];
  const seconds = `${(ms % 60_000) / 1000}s`;
  if (hours > 0) return `${hours}h${minutes}m${seconds}`;
  return minutes > 0 ? `${minutes}m${seconds}` : seconds;
}

/** The same, to the second. */
export const formatGoSeconds = (ms: Duration): string => formatGoDuration(Math.round(ms / 1000) * 1000);
