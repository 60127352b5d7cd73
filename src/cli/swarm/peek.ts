/** `swarm peek`: the last lines of a worker's screen. */
import { paneIfRunning, paneOf } from '../../loops/swarm/workers/life.ts';
import { lastLines } from '../../loops/swarm/workers/output.ts';
import { findWorker, readWorkers } from '../../loops/swarm/workers/registry.ts';
import { notFound, refused, type Swarm } from '../../loops/swarm/workers/swarm.ts';
import { TmuxError } from '../../tmux/command.ts';
import type { Pane } from '../../tmux/pane.ts';

export async function peekCommand(
  swarm: Swarm,
  name: string | undefined,
  { lines, all = false }: { lines: number; all?: boolean },
): Promise<number> {
  if (all) {
    for (const record of readWorkers(swarm)) {
      const pane = await paneIfRunning(swarm, record);
      if (pane !== null) swarm.show(`=== ${record.name} ===\n${await peek(pane, record.name, lines)}\n`);
    }
    return 0;
  }
  if (name === undefined) throw refused('worker name required (or use --all)');
  const record = findWorker(swarm, name);
  if (record === undefined) throw notFound(name, 2);
  swarm.show(await peek(await paneOf(swarm, record), name, lines));
  return 0;
}

async function peek(pane: Pane, name: string, lines: number): Promise<string> {
  try {
    return lastLines(await pane.capture(lines), lines);
  } catch (error) {
    if (error instanceof TmuxError) throw refused(`failed to capture pane for '${name}': ${error.message}`);
    throw error;
  }
}
