/** The context of the worker commands, made from this process. */
import { readEnvironment } from '../../config/environment.ts';
import { refused, type Swarm } from '../../loops/swarm/workers/swarm.ts';
import { TmuxError } from '../../tmux/command.ts';

/** Runs a command in the swarm of this process, and returns its exit code. Errors of tmux are shown in tmux's words. */
export async function runInSwarm(command: (swarm: Swarm) => unknown): Promise<number> {
  const { variables, swarmHome, containment, root } = readEnvironment();
  const swarm: Swarm = {
    home: swarmHome,
    env: variables,
    cwd: process.cwd(),
    containment,
    stateRoot: root.path,
    self: [process.execPath, ...process.execArgv, process.argv[1] ?? ''],
    say: (line) => void process.stdout.write(`${line}\n`),
    warn: (line) => void process.stderr.write(`${line}\n`),
    show: (text) => void process.stdout.write(text),
  };
  try {
    const code = await command(swarm);
    return typeof code === 'number' ? code : 0;
  } catch (error) {
    if (error instanceof TmuxError) throw refused(`tmux: ${error.message}`);
    throw error;
  }
}
