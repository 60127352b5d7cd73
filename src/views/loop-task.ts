/** What a loop was asked to do, in one line, to tell loops apart in a list. */
import { taskLine } from '../core/text/task-line.ts';
import type { LoopStore, ReadableLoop } from '../engine/store/loop-store.ts';
import { machineOf } from './machines.ts';

/** Null if it was not known when the loop began. For a prompt from a file, this is the name of the file. */
export async function taskOf(store: LoopStore, { id, loopKind, asked }: ReadableLoop): Promise<string | null> {
  if (asked !== undefined) return asked;
  const [first, machine] = await Promise.all([store.first(id), machineOf(loopKind)]);
  if (machine === null || first?.result.kind !== 'created') return null;
  return taskLine(machine.asked(first.result.options, null).task);
}

/** The whole task, as the last iteration read it. It comes from the journal, where secrets are masked. */
export async function wholeTaskOf(store: LoopStore, { id, loopKind }: ReadableLoop): Promise<string | null> {
  const [machine, { fold }] = await Promise.all([machineOf(loopKind), import('../core/machine/machine.ts')]);
  return machine === null ? null : machine.about(fold(machine, await store.records(id))).task;
}
