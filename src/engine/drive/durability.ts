/** A power cut, unlike `kill -9`, needs a sync: begun at each agent's outcome, waited for before anything outward. */
import type { Journal } from '../../state/journal.ts';

export function durabilityOf(journal: Pick<Journal, 'sync'>) {
  let running: Promise<void> | null = null;
  let soon: NodeJS.Immediate | null = null;
  // The system reports a failed sync once; a later caller must still learn of it.
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
    /** Something worth keeping was appended: begin to bring it to the disk. */
    begin(): void {
      // One at a time: a disk slower than the loop is not given a queue.
      if (running !== null || soon !== null) return;
      // After the next program has been started: the agent waits for that, and nothing waits for the disk yet.
      soon = setImmediate(() => {
        soon = null;
        void begin();
      });
    },
    /** Resolves when everything appended so far is on the disk; rejects when any of it could not be brought there. */
    async synced(): Promise<void> {
      if (soon !== null) clearImmediate(soon);
      soon = null;
      await running;
      await begin();
      if (failure !== null) throw failure.error;
    },
  };
}
