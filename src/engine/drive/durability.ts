/**
 * Syncs the journal, which a power cut makes necessary (`kill -9` does not): begins after each agent's outcome, and is
 * awaited before anything outward.
 */
import type { Journal } from '../../state/journal.ts';

export function durabilityOf(journal: Pick<Journal, 'sync'>) {
  let running: Promise<void> | null = null;
  let soon: NodeJS.Immediate | null = null;
  // The system reports a failed sync only once; later callers must still learn of it.
  let failure: { readonly error: unknown } | null = null;

  const begin = (): Promise<void> => {
    const sync = journal
      .sync()
      .catch((error: unknown) => {
        failure ??= { error };
      })
      .finally(() => {
        if (running === sync) running = null;
      });
    running = sync;
    return sync;
  };
  return {
    /** Something worth keeping was appended: begin a sync. */
    begin(): void {
      // One at a time: syncs must not queue up on a disk that is slower than the loop.
      if (running !== null || soon !== null) return;
      // Deferred until the next program has been started: the loop waits for that, but nothing waits for the sync yet.
      soon = setImmediate(() => {
        soon = null;
        void begin();
      });
    },
    /** Resolves when everything appended so far is on disk; rejects if any of it could not be written. */
    async synced(): Promise<void> {
      if (soon !== null) clearImmediate(soon);
      soon = null;
      await running;
      await begin();
      if (failure !== null) throw failure.error;
    },
  };
}
