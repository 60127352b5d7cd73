/** For how long a pane has shown the same: inactivity as the seed defines it, by the last 20 lines without escape sequences. */
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import type { Duration, Instant } from '../core/time.ts';
import { TmuxError } from './command.ts';

/** Blank lines below the last text are no content: they would hide a short screen. */
export function lastLines(captured: string, count = 20): string {
  const lines = stripVTControlCharacters(captured).split('\n');
  const shown = lines.map((line) => line.trimEnd());
  const end = shown.findLastIndex((line) => line !== '') + 1;
  return shown.slice(Math.max(0, end - count), end).join('\n');
}

/** Tells after each look for how long the screen has been the same. The clock runs from the agent's start. */
export function stabilityFrom(startedAt: Instant): (at: Instant, shown: string) => Duration {
  let last: string | null = null;
  let since = startedAt;
  return (at, shown) => {
    if (last !== null && last !== shown) since = at;
    last = shown;
    return at - since;
  };
}

export interface ScreenWatch {
  capture(): Promise<string>;
  /** How many bytes the pane has printed: tmux is only asked when there are more than at the last look. */
  printed(): number;
  readonly every: Duration;
  /** Of the agent, by the wall clock. */
  readonly startedAt: Instant;
  onLook(look: { readonly captured: string; readonly stableFor: Duration }): void;
  readonly signal: AbortSignal;
}

/** Begins at once, and ends with the signal. */
export async function watchScreen(watch: ScreenWatch): Promise<void> {
  const { every, startedAt, onLook, signal } = watch;
  const stableAt = stabilityFrom(startedAt);
  let captured: string | null = null;
  let shown = '';
  let seen = 0;
  while (!signal.aborted) {
    const began = Date.now();
    const printed = watch.printed();
    if (captured === null || printed !== seen) {
      captured = await watch.capture().catch(unlessRefused);
      shown = lastLines(captured ?? '');
      seen = printed;
    }
    if (signal.aborted) return;
    if (captured !== null) onLook({ captured, stableFor: stableAt(Date.now(), shown) });
    // An abort ends the wait, and the loop with it.
    await sleep(Math.max(0, began + every - Date.now()), undefined, { signal }).catch(() => undefined);
  }
}

/** A pane that is gone has an agent that is gone, which is seen elsewhere; until then it is asked again. */
function unlessRefused(error: unknown): null {
  if (error instanceof TmuxError) return null;
  throw error;
}
