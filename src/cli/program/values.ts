/** Parsers for the values of flags and arguments. */
import { InvalidArgumentError } from 'commander';
import { parseDuration, parseGoDuration } from '../../core/text/duration.ts';
import type { FallbackSpec } from '../../engine/fallbacks.ts';

export function positiveInteger(text: string): number {
  const number = Number(text);
  if (!Number.isSafeInteger(number) || number < 1)
    throw new InvalidArgumentError('must be a positive integer such as 10');
  return number;
}

/** The parser of a repeatable flag. */
export function collect(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}

/** In milliseconds. */
export function durationLike(examples: string): (text: string) => number {
  return (text) => {
    const ms = parseDuration(text);
    if (ms === null) throw new InvalidArgumentError(`must be a duration such as ${examples}`);
    return ms;
  };
}

/** A time of day that has passed by less than this means now, not tomorrow. */
const JUST_NOW_MS = 60_000;

/** The next time that the local clock shows `22:00`, or a date with a time that has not passed. */
export function startTime(text: string, _previous?: unknown, now = Date.now()): number {
  const [, hours, minutes] = /^([01]?\d|2[0-3]):([0-5]\d)$/.exec(text) ?? [];
  if (hours === undefined) {
    const at = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text) ? Date.parse(text) : Number.NaN;
    if (Number.isNaN(at)) throw new InvalidArgumentError('must be a time such as 22:00 or 2026-01-31T07:30');
    if (at < now - JUST_NOW_MS) throw new InvalidArgumentError('must be a time that has not passed');
    return at;
  }
  const at = new Date(now);
  at.setHours(Number(hours), Number(minutes), 0, 0);
  if (at.getTime() < now - JUST_NOW_MS) at.setDate(at.getDate() + 1);
  return at.getTime();
}

const UNITS: Readonly<Record<string, number>> = { '': 1, B: 1, KB: 1024, MB: 1024 ** 2, GB: 1024 ** 3 };

/** `10MB`, `100KB`, `1GB`, or bytes; null for anything else. */
export function parseSize(text: string): number | null {
  const [, number, unit = ''] = /^\s*(\d+)\s*([KMG]?B)?\s*$/i.exec(text) ?? [];
  const bytes = Number(number) * (UNITS[unit.toUpperCase()] ?? 1);
  return number !== undefined && Number.isSafeInteger(bytes) ? bytes : null;
}

export function size(text: string): number {
  const bytes = parseSize(text);
  if (bytes === null) throw new InvalidArgumentError('must be a size such as 10MB, 500MB or 5GB');
  return bytes;
}

/** In milliseconds; zero is allowed. */
export function age(text: string): number {
  const [, days] = /^(\d+)d$/.exec(text) ?? [];
  const ms = days === undefined ? parseGoDuration(text) : Number(days) * 24 * 60 * 60_000;
  if (ms === null) throw new InvalidArgumentError('must be a duration such as 7d, 36h or 0');
  return ms;
}

/** A time before `now`: `yesterday` and `2026-01-31` begin at local midnight, `7d` is seven days ago. */
export function sinceWhen(text: string): (now: number) => number {
  if (text === 'yesterday') return (now) => midnight(new Date(now).setDate(new Date(now).getDate() - 1));
  if (text === 'today') return midnight;
  if (/^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d)?$/.test(text)) {
    const at = Date.parse(text.length === 10 ? `${text}T00:00` : text);
    if (!Number.isNaN(at)) return () => at;
  }
  const [, days] = /^(\d+)d$/.exec(text) ?? [];
  const ms = days === undefined ? parseDuration(text) : Number(days) * 24 * 60 * 60_000;
  if (ms === null) throw new InvalidArgumentError('must be yesterday, a duration such as 12h or 7d, or a day');
  return (now) => now - ms;
}

const midnight = (at: number): number => new Date(at).setHours(0, 0, 0, 0);

export function fallbackList(text: string): FallbackSpec[] {
  const specs = text.split(',').map(specOf);
  const isNamed = specs.every(isWhole);
  const names = new Set(specs.map(({ agent, model }) => `${agent}:${model}`));
  if (isNamed && names.size === specs.length) return specs;
  throw new InvalidArgumentError('must be a list of different agents such as codex,gemini or claude:sonnet');
}

/** `codex`, or `claude:sonnet` for a model. */
export function namedAgent(text: string): FallbackSpec {
  const spec = specOf(text);
  if (isWhole(spec) && !text.includes(',')) return spec;
  throw new InvalidArgumentError('must be an agent such as codex or claude:sonnet');
}

function specOf(text: string): FallbackSpec {
  const [agent = '', ...model] = text.trim().split(':');
  return { agent, model: model.length === 0 ? null : model.join(':') };
}

const isWhole = ({ agent, model }: FallbackSpec): boolean => agent !== '' && model !== '';
