/** `ralph stories check`: what the Stop hook would say now. */

import { uncommitted } from '../../hooks/stories/uncommitted.ts';
import { checkStories } from '../../loops/stories/commands/check.ts';
import { withOutsideLook } from '../../loops/stories/commands/read-only-worktree.ts';
import type { Self } from '../../loops/stories/isolation.ts';
import { thisMachine } from '../../process/identity/identity.ts';
import { printable } from '../../stream/printable.ts';
import { listPlaceOf, type PlaceFlags } from './place.ts';

export async function checkCommand(flags: PlaceFlags, self: Self): Promise<number> {
  const { environment, ...where } = listPlaceOf(flags);
  const asked = { ...where, root: environment.root, place: thisMachine() };
  const looking = { cwd: where.projectDir, environment, self };
  const checked = await withOutsideLook(looking, (look) => checkStories({ ...asked, look }));
  const { isHeld, by, ralphDir, reason, status, unasked, verifyCommands } = checked;
  const unseen = unasked === null ? [] : [`git was not asked what is uncommitted: ${unasked}`];
  const reasons = [...(reason === null ? [] : [reason]), ...uncommitted(status, ralphDir), ...unseen];
  if (reasons.length === 0) {
    process.stdout.write(`[ralph] All checks passed (${by}).\n`);
    if (verifyCommands.length > 0)
      process.stdout.write(
        `[ralph] Not run here: ${printable(verifyCommands.join(', '))}. The loop runs them before a story counts.\n`,
      );
    return 0;
  }
  process.stdout.write(`${printable(reasons.join('\n\n'))}\n`);
  const what = isHeld ? 'The Stop hook would not let the agent stop' : 'Not in order';
  process.stderr.write(`[ralph] ${what} (${by}).\n`);
  return 1;
}
