/** Takes events from a loop that does not wait to a reader that may be slow. */
import type { LoopEvent } from './drive.ts';

/** So much progress is kept for a slow reader; more is dropped. Records never are. */
const MOST_PROGRESS = 10_000;

export function eventQueue<Data>() {
  let waiting: LoopEvent<Data>[] = [];
  let wake: (() => void) | null = null;
  let closed = false;
  return {
    push(event: LoopEvent<Data>): void {
      if (event.type === 'progress' && waiting.length >= MOST_PROGRESS) return;
      waiting.push(event);
      wake?.();
    },
    close(): void {
      closed = true;
      wake?.();
    },
    async *events(): AsyncGenerator<LoopEvent<Data>> {
      for (;;) {
        const ready = waiting;
        waiting = [];
        yield* ready;
        if (waiting.length > 0) continue;
        if (closed) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
