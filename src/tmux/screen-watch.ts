/** Watches the screens of many panes: one timer, one question for all of them, and each is told how long it is stable. */
import type { Duration, Instant } from '../core/time.ts';
import { type Control, TmuxGone } from './control.ts';
import { hashOf, observe, type Stability, stabilityFrom, stableFor } from './screen.ts';
import { captureAll } from './screen-look.ts';

export interface ScreenWatchOptions {
  readonly control: Control;
  /** The seed's two seconds unless told otherwise. */
  readonly every?: Duration;
  /** A clock that nobody sets; the same one that `startedAt` was read from. */
  now?(): Instant;
}

export interface ScreenWatch {
  /** Begins at once. Returns how to stop. */
  watch(pane: string, watched: Watched): () => void;
  close(): void;
}

export interface Watched {
  /** Of the agent; now, unless told otherwise. */
  readonly startedAt?: Instant;
  onLook?(look: { readonly captured: string; readonly stableFor: Duration }): void;
  /** The pane or its whole server is not there any more; nothing else comes. */
  onGone(why: Error): void;
}

const EVERY: Duration = 2000;

export function watchScreens({
  control,
  every = EVERY,
  now = () => performance.now(),
}: ScreenWatchOptions): ScreenWatch {
  interface Entry extends Watched {
    readonly pane: string;
    stability: Stability;
  }
  const entries = new Set<Entry>();
  let timer: NodeJS.Timeout | null = null;
  let isPolling = false;

  const poll = async (): Promise<void> => {
    isPolling = true;
    const began = now();
    const asked = [...entries];
    const answers = await captureAll(
      control,
      asked.map(({ pane }) => pane),
    );
    const at = now();
    for (const [index, entry] of asked.entries()) {
      const answer = answers[index];
      // Stopped by one of those that were told before it.
      if (answer === undefined || !entries.has(entry)) continue;
      if (answer.ok) see(entry, answer.text, at);
      else if (!isPassing(answer.error)) leave(entry, answer.error);
    }
    isPolling = false;
    schedule(Math.max(0, began + every - now()));
  };
  const see = (entry: Entry, captured: string, at: Instant): void => {
    entry.stability = observe(entry.stability, { at, hash: hashOf(captured) });
    entry.onLook?.({ captured, stableFor: stableFor(entry.stability) });
  };
  const leave = (entry: Entry, why: Error): void => {
    entries.delete(entry);
    entry.onGone(why);
  };
  const schedule = (after: Duration): void => {
    if (isPolling || timer !== null || entries.size === 0) return;
    timer = setTimeout(() => {
      timer = null;
      if (entries.size > 0) void poll();
    }, after);
  };
  const stop = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  };

  return {
    watch(pane, watched) {
      const entry: Entry = { ...watched, pane, stability: stabilityFrom(watched.startedAt ?? now()) };
      entries.add(entry);
      // The first look is at once: it is what later ones are compared with.
      stop();
      schedule(0);
      return () => {
        entries.delete(entry);
        if (entries.size === 0) stop();
      };
    },
    close() {
      entries.clear();
      stop();
    },
  };
}

/** Somebody detached us, or the session that held the connection ended: the next look makes a new one. */
function isPassing(error: Error): boolean {
  return error instanceof TmuxGone && error.what === 'lost';
}
