/** Gives the loops of a dead worker back to the queue. */
// Not in the public class: the version is pinned and test/fleet/recover.test.ts holds it to what we need of it.
import { DBOSExecutor } from '@dbos-inc/dbos-sdk/internal/dbos-executor';

/** Returns the loops' ids. From here on DBOS refuses whatever the old owner still wants to record. */
export async function recoverLoopsOf(executor: string): Promise<string[]> {
  const self = DBOSExecutor.globalInstance;
  if (self === undefined) throw new Error('only a running worker can recover the loops of another');
  const loops = await self.recoverPendingWorkflows([executor]);
  return loops.map(({ workflowID }) => workflowID);
}
