/** `ralph stories check`: what the Stop hook would say now. */
import { checkStories } from '../../doors/stories/check.ts';
import { uncommitted } from '../../hooks/stories/uncommitted.ts';
import { printable } from '../../stream/printable.ts';
import { listPlaceOf, type PlaceFlags } from './place.ts';

export async function checkCommand(flags: PlaceFlags): Promise<number> {
  const { projectDir, ralphDir, environment } = listPlaceOf(flags);
  const { mode, reason, status } = await checkStories({ projectDir, ralphDir, env: environment.variables });
  const reasons = [...(reason === null ? [] : [reason]), ...uncommitted(status, ralphDir)];
  const by = mode === null ? 'no iteration runs, so transitions were not checked' : `mode ${mode}`;
  if (reasons.length === 0) {
    process.stdout.write(`[ralph] All checks passed (${by}).\n`);
    return 0;
  }
  process.stdout.write(`${printable(reasons.join('\n\n'))}\n`);
  process.stderr.write(`[ralph] The Stop hook would not let the agent stop (${by}).\n`);
  return 1;
}
