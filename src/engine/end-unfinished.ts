/** Ends a loop that has no supervisor and is not to be continued, wherever it stood. */

import type { Ending } from '../core/ending.ts';
import type { LoopMachine } from '../core/machine.ts';
import { nextRecord } from '../core/record.ts';
import type { Duration, Instant } from '../core/time.ts';
import { statusOf, writeStatus } from '../state/status.ts';
import { type LoopHome, reopenLoop } from './loop.ts';
import { endOrphans } from './orphans.ts';

/** Refuses while a loop runs there. What the loop left running is ended, too. */
export async function endUnfinished<Data>(
  machine: LoopMachine<Data>,
  { id, cwd }: { readonly id: string; readonly cwd: string },
  home: LoopHome,
  reason: string,
  { at, grace }: { readonly at: Instant; readonly grace: Duration },
): Promise<void> {
  // What was hidden from its inputs does not matter any more.
  const loop = reopenLoop(machine, id, cwd, home, () => undefined);
  try {
    await endOrphans(home.root, { cwd, loopKind: loop.state.loopKind, except: '' }, grace);
    const ending: Ending = { kind: 'stopped', reason };
    const record = nextRecord(loop.state, { key: 'end', result: { kind: 'ended', ending }, at, resumedAt: at });
    const ended = machine.apply(loop.state, record);
    loop.journal.append(record);
    loop.journal.syncNow();
    writeStatus(loop.folder, statusOf(ended, loop.createdAt));
  } finally {
    loop.close();
  }
}
