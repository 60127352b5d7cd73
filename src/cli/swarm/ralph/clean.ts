/** `swarm ralph clean`: removes what a loop has left in `~/.swarm/ralph`. */
import { existsSync, readdirSync } from 'node:fs';
import { forgetLoop } from '../../../loops/swarm/ralph/pointer.ts';
import { ralphFolder, ralphFolders } from '../../../loops/swarm/ralph/state-file.ts';
import { isWorkerAlive } from '../../../loops/swarm/workers/life.ts';
import { findWorker } from '../../../loops/swarm/workers/registry.ts';
import { refused, type Swarm } from '../../../loops/swarm/workers/swarm.ts';
import { isName } from '../../../loops/swarm/workers/worker-name.ts';
import { removeFolder } from '../../../state/folders.ts';

export function cleanCommand(name: string | undefined, all: boolean, swarm: Swarm): Promise<number> {
  for (const each of chosen(name, all, swarm)) {
    const record = findWorker(swarm, each);
    const isAlive = record !== undefined && isWorkerAlive(swarm, record);
    if (isAlive || swarm.ralph.isTurning(each))
      swarm.warn(`swarm: warning: worker '${each}' is still running (only ralph state removed)`);
    // A loop that turns keeps its way back: its state file is written anew at its next step.
    else forgetLoop(swarm.home.path, each);
    removeFolder(ralphFolder(swarm.home.path, each));
    swarm.say(`cleaned ralph state for ${each}`);
  }
  return Promise.resolve(0);
}

function chosen(name: string | undefined, all: boolean, { home }: Swarm): string[] {
  const folder = ralphFolders(home.path);
  if (all) return existsSync(folder) ? readdirSync(folder).filter(isName).sort() : [];
  if (name === undefined) throw refused('must specify worker name or use --all');
  if (!existsSync(ralphFolder(home.path, name))) throw refused(`no ralph state found for worker '${name}'`);
  return [name];
}
