/** The status of a loop, folded from its journal: used when `status.json` is missing, damaged, or out of date. */
import { RalphError } from '../../core/error.ts';
import { fold } from '../../core/machine/machine.ts';
import { readJournal } from '../../state/journal.ts';
import { withRequest } from '../../state/new-loop.ts';
import { journalPath } from '../../state/paths.ts';
import { type LoopStatus, statusOf } from '../../state/registry.ts';
import type { MachineOf } from './local-store.ts';

/** Null for a journal without records. */
export async function foldedStatus(folder: string, machineOf: MachineOf): Promise<LoopStatus | null> {
  const { records, wholeBytes } = readJournal(journalPath(folder));
  const [first] = records;
  if (first === undefined) return null;
  const loopKind = first.result.kind === 'created' ? first.result.loopKind : '';
  const machine = await machineOf(loopKind);
  if (machine === null) {
    throw new RalphError('LOOP_KIND', `this release does not know loops of the kind "${loopKind}"`);
  }
  const state = fold(machine, withRequest(records, folder));
  return statusOf(machine, state, { createdAt: first.at, bytes: wholeBytes });
}
