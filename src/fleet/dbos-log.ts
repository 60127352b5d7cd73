/** What DBOS has to say: only what a person may have to act on, and the same thing not over and over in an outage. */
import type { DLogger } from '@dbos-inc/dbos-sdk';
import type { Duration } from '../core/time.ts';

const SAY_AGAIN_AFTER: Duration = 60_000;

export function dbosLog(say: (message: string) => void): DLogger {
  const saidAt = new Map<string, number>();
  const tell = (entry: unknown): void => {
    const now = performance.now();
    for (const [message, at] of saidAt) if (now - at > SAY_AGAIN_AFTER) saidAt.delete(message);
    const message = String(entry);
    if (!saidAt.has(message)) say(`dbos: ${message}`);
    saidAt.set(message, saidAt.get(message) ?? now);
  };
  return { debug: ignore, info: ignore, warn: tell, error: tell };
}

function ignore(): void {
  // About itself, not about what is wrong.
}
