/** What DBOS has to say: only what a person may have to act on. */
import type { DLogger } from '@dbos-inc/dbos-sdk';

export function dbosLog(say: (message: string) => void): DLogger {
  const tell = (entry: unknown): void => say(`dbos: ${String(entry)}`);
  return { debug: ignore, info: ignore, warn: tell, error: tell };
}

function ignore(): void {
  // About itself, not about what is wrong.
}
