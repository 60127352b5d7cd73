/**
 * When records reach the disk. `kill -9` needs only the write; a power cut needs a sync, and that is begun at each
 * agent's outcome and waited for only before something outward happens. So the loop is not slowed by the disk.
 */
import type { Journal } from '../state/journal.ts';

export interface Durability {
  /** Something worth keeping was appended: begin to bring it to the disk. */
  begin(): void;
  /** Resolves when everything appended so far is on the disk. */
  settled(): Promise<void>;
}

export function durabilityOf(journal: Pick<Journal, 'sync'>): Durability {
  let running: Promise<void> | null = null;
  const begin = (): Promise<void> => {
    const sync = journal.sync().finally(() => {
      if (running === sync) running = null;
    });
    running = sync;
    return sync;
  };
  return {
    begin() {
      // One at a time: a disk slower than the loop is not given a queue.
      if (running === null) begin().catch(toldLater);
    },
    async settled() {
      await running?.catch(toldLater);
      await begin();
    },
  };
}

function toldLater(): void {
  // A failure shows when the next sync is waited for.
}
