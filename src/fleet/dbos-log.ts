/** What DBOS has to say: only what a person may have to act on. */
import type { DLogger } from '@dbos-inc/dbos-sdk';

export function dbosLog(say: (message: string) => void): DLogger {
  const tell = (entry: unknown): void => say(`dbos: ${String(entry)}`);
  return { debug: () => {}, info: () => {}, warn: tell, error: tell };
}
