/** What a loop was asked to do, in one line: what tells it from others in a list. */
import type { LoopStore, ReadableLoop } from '../engine/store/loop-store.ts';
import { machineOf } from './machines.ts';

/** Null where it was not said when the loop began; a prompt from a file is called by the file's name. */
export async function taskOf(store: LoopStore, { id, loopKind }: ReadableLoop): Promise<string | null> {
  const [first, machine] = await Promise.all([store.first(id), machineOf(loopKind)]);
  if (machine === null || first?.result.kind !== 'created') return null;
  const task = machine.asked(first.result.options, null).task?.trim() ?? '';
  const [line = ''] = task.split('\n', 1);
  return line.trim() === '' ? null : line.trim();
}
