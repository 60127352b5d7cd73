/** Runs a worker command; what the operating system refuses (a full disk, a folder that is not ours) is told as it is. */
import type { Swarm } from '../../doors/swarm/workers/swarm.ts';
import { refused } from '../../doors/swarm/workers/swarm.ts';
import { TmuxError } from '../../tmux/command.ts';
import { thisSwarm } from './context.ts';

export async function runInSwarm(command: (swarm: Swarm) => Promise<number>): Promise<number> {
  try {
    return await command(thisSwarm());
  } catch (error) {
    if (error instanceof TmuxError) throw refused(`tmux: ${error.message}`);
    if (error instanceof Error && 'syscall' in error && 'path' in error) throw refused(error.message);
    throw error;
  }
}
