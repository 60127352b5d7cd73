/**
 * What a pane shows, and for how long it has been the same. Inactivity as the seed defines it: the last 20 lines without
 * escape sequences, hashed; a hash that stays the same for the timeout means that nothing happens any more.
 */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import type { Duration, Instant } from '../core/time.ts';
import { type Control, TmuxGone } from './control.ts';

export interface Look {
  /** Lines without blanks at their ends and without the empty ones at the bottom. */
  readonly screen: string;
  readonly title: string;
}

/** Throws TmuxRefusal when the pane is gone, TmuxGone when the server is. */
export function lookAt(control: Control, pane: string): Promise<Look> {
  const look = async (): Promise<Look> => {
    const [captured, title] = await Promise.all([
      control.send(['capture-pane', '-p', '-t', pane]),
      control.send(['display-message', '-p', '-t', pane, '#{pane_title}']),
    ]);
    return { screen: captured.replaceAll(/[ \t]+$/gm, '').trimEnd(), title: title.trim() };
  };
  return look().catch((error: unknown) => {
    if (isPassing(error)) return look();
    throw error;
  });
}

/** Blank lines below the last text are no content: they would hide a short screen. */
export function lastLines(captured: string, count = 20): string {
  const lines = stripVTControlCharacters(captured).split('\n');
  const shown = lines.map((line) => line.trimEnd());
  const end = shown.findLastIndex((line) => line !== '') + 1;
  return shown.slice(Math.max(0, end - count), end).join('\n');
}

export function hashOf(captured: string): string {
  return createHash('md5').update(lastLines(captured)).digest('hex');
}

/** Tells after each look for how long the screen has been the same. The clock runs from the agent's start. */
export function stabilityFrom(startedAt: Instant): (at: Instant, hash: string) => Duration {
  let last: string | null = null;
  let since = startedAt;
  return (at, hash) => {
    if (last !== null && last !== hash) since = at;
    last = hash;
    return at - since;
  };
}

export interface ScreenWatch {
  readonly control: Control;
  readonly pane: string;
  readonly every: Duration;
  /** Of the agent, by the wall clock. */
  readonly startedAt: Instant;
  onLook(look: { readonly captured: string; readonly stableFor: Duration }): void;
  /** The pane or its whole server is not there any more; nothing else comes. */
  onGone(why: Error): void;
  readonly signal: AbortSignal;
}

/** Begins at once, and ends with the signal or the pane. */
export async function watchScreen(watch: ScreenWatch): Promise<void> {
  const { control, pane, every, startedAt, onLook, onGone, signal } = watch;
  const stableAt = stabilityFrom(startedAt);
  while (!signal.aborted) {
    const began = Date.now();
    const [answer] = await control.sendAll([['capture-pane', '-p', '-t', pane]]);
    if (signal.aborted || answer === undefined) return;
    if (answer.ok) onLook({ captured: answer.text, stableFor: stableAt(Date.now(), hashOf(answer.text)) });
    else if (!isPassing(answer.error)) return onGone(answer.error);
    // An abort ends the wait, and the loop with it.
    await sleep(Math.max(0, began + every - Date.now()), undefined, { signal }).catch(() => undefined);
  }
}

/** A client that attached has detached us, or the session that held the connection ended: the next look makes a new one. */
function isPassing(error: unknown): boolean {
  return error instanceof TmuxGone && error.what === 'lost';
}
