/** Ends what is left of a project's loops before its papers are filed away: none of them may touch the next plan. */
import type { Environment } from '../../config/environment.ts';
import { maskFor } from '../../core/mask.ts';
import { endUnfinished } from '../../engine/end-unfinished.ts';
import { thisPlace } from '../../process/identity.ts';
import { loopFolder } from '../../state/paths.ts';
import { listLoops } from '../../state/registry.ts';
import { writeStatus } from '../../state/status.ts';
import { dataIn } from './find-loop.ts';
import { GRACE_MS, storiesCrank } from './loop.ts';

/** Nobody can go on with such a loop. */
const UNREADABLE = 'its records cannot be read';

/** Gives their ids; refuses while one of them runs. */
export async function endLoops(cwd: string, { root, variables }: Environment, reason: string): Promise<string[]> {
  const unfinished = listLoops(root).filter(
    (loop) => loop.door === 'stories' && loop.cwd === cwd && loop.ending === null,
  );
  const home = { root, place: thisPlace(), mask: maskFor(variables) };
  for (const loop of unfinished) {
    const folder = loopFolder(root, loop.id);
    if (dataIn(folder) === null) writeStatus(folder, { ...loop, ending: { kind: 'tampered', reason: UNREADABLE } });
    else await endUnfinished(storiesCrank, loop, home, reason, { at: Date.now(), grace: GRACE_MS });
  }
  return unfinished.map(({ id }) => id);
}
