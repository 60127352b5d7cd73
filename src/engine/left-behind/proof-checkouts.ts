/** The clean checkouts of all loops: where they are, and which ones were left by supervisors that died. */
import { existsSync, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Instant } from '../../core/time.ts';
import { ifThere } from '../../process/files.ts';
import { removeFolder } from '../../proof/checkout.ts';
import { forgetOsSandbox } from '../../runners/os-sandbox.ts';
import { isLocked } from '../../state/lock.ts';
import { loopFolder, loopLock, type StateRoot, workTreeLock } from '../../state/paths.ts';
import { listLoops } from '../../state/registry.ts';

/** Not in the state folder: every sandbox hides that. */
export function checkoutsFolder({ XDG_CACHE_HOME: cache, HOME: home = homedir() }: NodeJS.ProcessEnv): string {
  return join(cache || join(home, '.cache'), 'ralph/proofs');
}

/** Removes those of one loop; only its supervisor may call this. */
export function removeCheckouts({ place, name }: { readonly place: string; readonly name: string }): void {
  for (const folder of foldersIn(place)) if (loopOf(folder) === name) removeCheckout(folder);
}

export function removeCheckout(folder: string): void {
  forgetOsSandbox(join(folder, 'sandbox'));
  removeFolder(folder);
}

/** Checkouts whose loops no supervisor drives. If the loop is unknown (another state folder?), it must be old. */
export function leftCheckouts(place: string, root: StateRoot, before: Instant): string[] {
  const folders = foldersIn(place);
  if (folders.length === 0) return [];
  const loops = new Map(listLoops(root).map((loop) => [loop.id, loop]));
  return folders.filter((folder) => {
    const loop = loops.get(loopOf(folder));
    if (loop === undefined) return (ifThere(() => statSync(folder).mtimeMs) ?? before) < before;
    return ![workTreeLock(root, loop.cwd), loopLock(loopFolder(root, loop.id))].some(isLocked);
  });
}

const foldersIn = (place: string): string[] =>
  existsSync(place) ? readdirSync(place).map((name) => join(place, name)) : [];

/** `<loop>-x1Y2z3` */
const loopOf = (folder: string): string => folder.slice(folder.lastIndexOf('/') + 1).replace(/-[^-]{6}$/, '');
