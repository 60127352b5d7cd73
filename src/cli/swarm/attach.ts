/** `swarm attach`: hands the terminal to tmux, with the worker's window in front. */
import { spawn } from 'node:child_process';
import { paneOf, windowOf } from '../../loops/swarm/workers/life.ts';
import { findWorker } from '../../loops/swarm/workers/registry.ts';
import { notFound, type Swarm } from '../../loops/swarm/workers/swarm.ts';

export async function attachCommand(swarm: Swarm, name: string): Promise<number> {
  const record = findWorker(swarm, name);
  if (record === undefined) throw notFound(name);
  const { tmux } = await paneOf(swarm, record);
  const window = windowOf(swarm.home, name);
  if (window === null) throw notFound(name);
  // By ids: the window may have been renamed or moved to another session.
  const session = (await tmux.tell(['display-message', '-p', '-t', window.paneId, '#{session_id}'])).trim();
  await tmux.tell(['select-window', '-t', `${session}:${window.windowId}`]);
  const verb = isInside(swarm.env, window.address.socketPath) ? 'switch-client' : 'attach-session';
  return inTheForeground([...tmux.prefix, verb, '-t', session], swarm.env);
}

/** A client of the same server is switched; tmux refuses to put a server inside of itself. */
function isInside({ TMUX = '' }: NodeJS.ProcessEnv, socketPath: string): boolean {
  return TMUX.startsWith(`${socketPath},`);
}

function inTheForeground(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn('tmux', args, { env, stdio: 'inherit' });
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}
