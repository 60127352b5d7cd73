/** Ends what is left of a project's loops before its papers are filed away: none of them may touch the next plan. */
import { renameSync } from 'node:fs';
import type { Environment } from '../../../config/environment.ts';
import { maskFor } from '../../../core/text/mask.ts';
import { endUnfinished } from '../../../engine/end-unfinished.ts';
import { thisMachine } from '../../../process/identity/identity.ts';
import { journalPath, loopFolder } from '../../../state/paths.ts';
import { listLoops } from '../../../state/registry.ts';
import { dataIn } from '../find-loop.ts';
import { GRACE_MS, storiesMachine } from '../loop.ts';

/** Gives their ids; refuses while one of them runs. */
export async function endLoops(cwd: string, { root, variables }: Environment, reason: string): Promise<string[]> {
  const unfinished = listLoops(root).filter(
    (loop) => loop.loopKind === 'stories' && loop.cwd === cwd && loop.ending === null,
  );
  const home = { root, place: thisMachine(), mask: maskFor(variables) };
  for (const loop of unfinished) {
    const folder = loopFolder(root, loop.id);
    if (dataIn(folder) === null) quarantine(journalPath(folder));
    else await endUnfinished(storiesMachine, loop, home, reason, { at: Date.now(), grace: GRACE_MS });
  }
  return unfinished.map(({ id }) => id);
}

/** Records that cannot be read can be continued by nobody; without them under their name there is no loop. */
function quarantine(journal: string): void {
  renameSync(journal, `${journal}.damaged-${Date.now()}`);
}
