/** What a loop was asked to do, in one line: what tells it from others in a list. */
import { taskLine } from '../core/text/task-line.ts';
import type { LoopStore, ReadableLoop } from '../engine/store/loop-store.ts';
import { machineOf } from './machines.ts';

/** Null where it was not said when the loop began; a prompt from a file is called by the file's name. */
export async function taskOf(store: LoopStore, { id, loopKind, asked }: ReadableLoop): Promise<string | null> {
  if (asked !== undefined) return asked;
  const [first, machine] = await Promise.all([store.first(id), machineOf(loopKind)]);
  if (machine === null || first?.result.kind !== 'created') return null;
  return taskLine(machine.asked(first.result.options, null).task);
}

/** All of it, as the last iteration read it. From the journal, where keys are masked. */
export async function wholeTaskOf(store: LoopStore, { id, loopKind }: ReadableLoop): Promise<string | null> {
  const [machine, { fold }] = await Promise.all([machineOf(loopKind), import('../core/machine/machine.ts')]);
  return machine === null ? null : machine.about(fold(machine, await store.records(id))).task;
}
