/** Reads a pane's screen and types into it, by the pane's id, and measures for how long its screen has not changed. */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import type { Duration, Instant } from '../core/time.ts';
import { literal, type Tmux, TmuxError } from './command.ts';

export type Pane = ReturnType<typeof paneAt>;

export interface Look {
  /** Lines without trailing spaces, and without the empty ones at the bottom. */
  readonly screen: string;
  readonly title: string;
}

/** tmux takes no message of 16 KB or more; a character has at most four bytes. */
const MOST_AT_ONCE = 3000;

/** `isThere` is called before each command: a new server gives out the ids of an earlier one again. */
export function paneAt(tmux: Tmux, id: string, isThere: () => boolean = () => true) {
  const at = ['-t', id];
  const run = async (args: readonly string[], input?: string): Promise<string> => {
    if (!isThere()) throw new TmuxError('its tmux window is gone');
    return tmux.run(args, input);
  };
  return {
    tmux,
    isThere: async () => isThere() && (await tmux.ask(['display-message', '-p', ...at, '#{pane_id}'])).ok,
    /** What the screen shows; with `history`, also that many lines before it. */
    capture: (history = 0) => run(['capture-pane', '-p', ...at, ...(history > 0 ? ['-S', `-${history}`] : [])]),
    async look(): Promise<Look> {
      const shown = await run(['display-message', '-p', ...at, '#{pane_title}', ';', 'capture-pane', '-p', ...at]);
      const [title = '', ...lines] = shown.split('\n').map((line) => line.trimEnd());
      return { screen: lines.join('\n').trimEnd(), title: title.trim() };
    },
    /** Keys by tmux's names, such as `C-c` or `Enter`. */
    press: (...keys: string[]) => run(['send-keys', ...at, ...keys]),
    async type(text: string): Promise<void> {
      const characters = [...text];
      for (let from = 0; from < characters.length; from += MOST_AT_ONCE) {
        const part = characters.slice(from, from + MOST_AT_ONCE).join('');
        await run(['send-keys', ...at, '-l', '--', literal(part)]);
      }
    },
    /** tmux marks a paste only once the program has asked for it; before that, a `!` in a prompt opened a shell. */
    async paste(text: string, marks: 'always' | 'if-asked'): Promise<void> {
      const buffer = `ralph-${randomUUID()}`;
      const [marked, flags] = marks === 'always' ? [`\u001b[200~${text}\u001b[201~`, []] : [text, ['-p']];
      const paste = ['paste-buffer', ...flags, '-d', '-b', buffer, ...at];
      try {
        await run(['load-buffer', '-b', buffer, '-', ';', ...paste], marked);
      } catch (error) {
        await tmux.ask(['delete-buffer', '-b', buffer]);
        throw error;
      }
    },
    /** While a person scrolls in the pane, keys would go to copy mode and not to the agent. */
    leaveCopyMode: () => run(['if-shell', '-F', ...at, '#{pane_in_mode}', `send-keys -t ${id} -X cancel`]),
  };
}

/** Blank lines below the last text are not content: they would hide a short screen. */
export function lastLines(captured: string, count = 20): string {
  const lines = stripVTControlCharacters(captured).split('\n');
  const shown = lines.map((line) => line.trimEnd());
  const end = shown.findLastIndex((line) => line !== '') + 1;
  return shown.slice(Math.max(0, end - count), end).join('\n');
}

/** Returns after each look for how long the screen has not changed. The time counts from the agent's start. */
export function stabilityFrom(startedAt: Instant): (at: Instant, shown: string) => Duration {
  let last: string | null = null;
  let since = startedAt;
  return (at, shown) => {
    if (last !== null && last !== shown) since = at;
    last = shown;
    return at - since;
  };
}

export interface ScreenLook {
  readonly captured: string;
  readonly stableFor: Duration;
}

interface ScreenWatch {
  capture(): Promise<string>;
  /** How many bytes the pane has printed: tmux is only asked if this has changed since the last look. */
  printed(): number;
  readonly every: Duration;
  /** When the agent started, in wall-clock time. */
  readonly startedAt: Instant;
  isEnough(look: ScreenLook): boolean;
  readonly signal: AbortSignal;
}

/**
 * Inactivity as the seed defines it: by the last 20 lines without escape sequences. Until `isEnough`, or the signal.
 */
export async function watchScreen({ every, startedAt, signal, ...watch }: ScreenWatch): Promise<void> {
  const stableAt = stabilityFrom(startedAt);
  let captured: string | null = null;
  let shown = '';
  let seen = 0;
  while (!signal.aborted) {
    const began = Date.now();
    const printed = watch.printed();
    if (captured === null || printed !== seen) {
      captured = await watch.capture().catch((error: unknown) => {
        // If the pane is gone, so is its agent, which is noticed elsewhere; until then, we ask again.
        if (error instanceof TmuxError) return null;
        throw error;
      });
      shown = lastLines(captured ?? '');
      seen = printed;
    }
    if (signal.aborted) return;
    if (captured !== null && watch.isEnough({ captured, stableFor: stableAt(Date.now(), shown) })) return;
    // An abort ends the wait, and the loop with it.
    await sleep(Math.max(0, began + every - Date.now()), undefined, { signal }).catch(() => undefined);
  }
}
