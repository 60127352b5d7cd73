/**
 * Inactivity as the seed defines it: the last 20 lines of a pane, without escape sequences, hashed; a hash that stays
 * the same for the timeout means that nothing happens any more, and any change begins anew. Pure: time comes in.
 */
import { createHash } from 'node:crypto';
import { stripVTControlCharacters } from 'node:util';
import type { Duration, Instant } from '../core/time.ts';

export interface Sample {
  readonly at: Instant;
  readonly hash: string;
}

export interface Stability {
  /** Null before the first look. */
  readonly hash: string | null;
  /** The screen has been as it is since then. */
  readonly since: Instant;
  readonly lookedAt: Instant;
}

const LAST_LINES = 20;

/** Blank lines below the last text are no content: a short screen would else be hidden by them. */
export function lastLines(captured: string, count = LAST_LINES): string {
  const lines = stripVTControlCharacters(captured).split('\n');
  const shown = lines.map((line) => line.trimEnd());
  const end = shown.findLastIndex((line) => line !== '') + 1;
  return shown.slice(Math.max(0, end - count), end).join('\n');
}

export function hashOf(captured: string): string {
  return createHash('md5').update(lastLines(captured)).digest('hex');
}

/** The clock runs from the agent's start, not from its prompt or the first look. */
export function stabilityFrom(startedAt: Instant): Stability {
  return { hash: null, since: startedAt, lookedAt: startedAt };
}

export function observe(before: Stability, { at, hash }: Sample): Stability {
  const isSame = before.hash === null || before.hash === hash;
  return { hash, since: isSame ? before.since : at, lookedAt: at };
}

export function stableFor({ since, lookedAt }: Stability): Duration {
  return lookedAt - since;
}
