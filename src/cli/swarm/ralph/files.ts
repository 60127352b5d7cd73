/** `swarm ralph init`, `template` and `clean`: the files that people begin with, and those that a loop leaves. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf } from '../../../core/error.ts';
import { reasonOf } from '../../../core/system-fault.ts';
import { forgetLoop } from '../../../loops/swarm/ralph/pointer.ts';
import { ralphFolder, ralphFolders } from '../../../loops/swarm/ralph/state-file.ts';
import { isWorkerAlive } from '../../../loops/swarm/workers/life.ts';
import { isName } from '../../../loops/swarm/workers/record.ts';
import { findWorker } from '../../../loops/swarm/workers/registry.ts';
import { refused, type Swarm } from '../../../loops/swarm/workers/swarm.ts';
import { writeFile } from '../../../process/files.ts';
import { removeFolder } from '../../../state/folders.ts';

const FILE = 'PROMPT.md';

/** Word for word as seed 000 has it. */
export const PROMPT_TEMPLATE = `study specs/README.md
study CLAUDE.md and pick the most important incomplete task

IMPORTANT:

- do not assume anything is implemented - verify by reading code
- update IMPLEMENTATION_PLAN.md when the task is done
- if tests are missing, add them (choose unit/integration/property as appropriate, follow existing patterns)
- run tests after changes
- commit and push when you are done
`;

export function initPrompt({ cwd, say }: Swarm, { force = false }: { readonly force?: boolean }): void {
  const path = join(cwd, FILE);
  try {
    writeFile(path, PROMPT_TEMPLATE, { flag: 'wx' });
    say(`created ${FILE}`);
    return;
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw refused(`cannot write ${FILE}: ${reasonOf(error)}`);
  }
  if (!force) throw refused(`${FILE} already exists (use --force to overwrite)`);
  writeFile(path, PROMPT_TEMPLATE);
  say(`created ${FILE} (overwritten)`);
}

export function printTemplate({ show }: Swarm): void {
  show(PROMPT_TEMPLATE);
}

/** Removes what loops have left in `~/.swarm/ralph`. */
export function cleanLoops(swarm: Swarm, name: string | undefined, { all = false }: { readonly all?: boolean }): void {
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
}

function chosen(name: string | undefined, all: boolean, { home }: Swarm): string[] {
  const folder = ralphFolders(home.path);
  if (all) return existsSync(folder) ? readdirSync(folder).filter(isName).sort() : [];
  if (name === undefined) throw refused('must specify worker name or use --all');
  if (!existsSync(ralphFolder(home.path, name))) throw refused(`no ralph state found for worker '${name}'`);
  return [name];
}
