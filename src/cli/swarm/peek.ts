/** `swarm peek`: the last lines of a worker's screen. */
import { isWorkerAlive, paneOf } from '../../doors/swarm/workers/life.ts';
import { lastLines } from '../../doors/swarm/workers/output.ts';
import type { WorkerRecord } from '../../doors/swarm/workers/record.ts';
import { findWorker, readWorkers } from '../../doors/swarm/workers/registry.ts';
import { notFound, refused, type Swarm } from '../../doors/swarm/workers/swarm.ts';
import { TmuxError } from '../../tmux/command.ts';

export async function peekCommand(
  swarm: Swarm,
  name: string | undefined,
  { lines, all = false }: { lines: number; all?: boolean },
): Promise<number> {
  if (all) {
    const running = readWorkers(swarm).filter((record) => record.tmux !== null && isWorkerAlive(swarm, record));
    for (const record of running) swarm.show(`=== ${record.name} ===\n${await peek(swarm, record, lines)}\n`);
    return 0;
  }
  if (name === undefined) throw refused('worker name required (or use --all)');
  const record = findWorker(swarm, name);
  if (record === undefined) throw notFound(name, 2);
  swarm.show(await peek(swarm, record, lines));
  return 0;
}

async function peek(swarm: Swarm, record: WorkerRecord, lines: number): Promise<string> {
  const pane = await paneOf(swarm, record);
  try {
    return lastLines(await pane.capture(lines), lines);
  } catch (error) {
    if (error instanceof TmuxError) throw refused(`failed to capture pane for '${record.name}': ${error.message}`);
    throw error;
  }
}
