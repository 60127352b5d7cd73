/** `ralph stories check`: what the Stop hook would say now. */
import { checkStories } from '../../doors/stories/check.ts';
import { uncommitted } from '../../hooks/stories/uncommitted.ts';
import { thisPlace } from '../../process/identity.ts';
import { printable } from '../../stream/printable.ts';
import { listPlaceOf, type PlaceFlags } from './place.ts';

export async function checkCommand(flags: PlaceFlags): Promise<number> {
  const { environment, ...where } = listPlaceOf(flags);
  const { root, variables: env } = environment;
  const { isHeld, by, ralphDir, reason, status } = await checkStories({ ...where, root, place: thisPlace(), env });
  const reasons = [...(reason === null ? [] : [reason]), ...uncommitted(status, ralphDir)];
  if (reasons.length === 0) {
    process.stdout.write(`[ralph] All checks passed (${by}).\n`);
    return 0;
  }
  process.stdout.write(`${printable(reasons.join('\n\n'))}\n`);
  const what = isHeld ? 'The Stop hook would not let the agent stop' : 'Not in order';
  process.stderr.write(`[ralph] ${what} (${by}).\n`);
  return 1;
}
