/** The timeline of a journal, made with the machine of the loop kind that it names. */
import type { Recorded } from '../../../src/core/record.ts';
import { machineOf } from '../../../src/views/machines.ts';
import { type Timeline, timelineOf } from '../../../src/views/timeline/timeline.ts';

const KINDS = ['run', 'swarm', 'task', 'job', 'ralph-loop', 'stories', 'session'];
const machines = new Map(await Promise.all(KINDS.map(async (kind) => [kind, await machineOf(kind)] as const)));

export const timelineIn = (records: readonly Recorded[]): Timeline => timelineOf(records, machineIn(records));

export function machineIn(records: readonly Recorded[]): Parameters<typeof timelineOf>[1] {
  const created = records[0]?.result;
  const machine = created?.kind === 'created' ? machines.get(created.loopKind) : null;
  if (machine == null) throw new Error('the journal names no loop kind');
  return machine;
}
