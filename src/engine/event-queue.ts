/** Queues a loop's events, since the loop does not wait for a slow reader. */
import type { LoopEvent } from './drive.ts';

/** Beyond this, progress is dropped for a slow reader. Records never are. */
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
