/** Runs a worker command; what tmux refuses is told in its own words. */
import type { Swarm } from '../../loops/swarm/workers/swarm.ts';
import { refused } from '../../loops/swarm/workers/swarm.ts';
import { TmuxError } from '../../tmux/command.ts';
import { thisSwarm } from './context.ts';

export async function runInSwarm(command: (swarm: Swarm) => Promise<number>): Promise<number> {
  try {
    return await command(thisSwarm());
  } catch (error) {
    if (error instanceof TmuxError) throw refused(`tmux: ${error.message}`);
    throw error;
  }
}
