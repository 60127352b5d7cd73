/** What `ralph` alone shows before it asks for a prompt: the loops of this folder, or what to type first. */
import { isReadable } from '../../engine/store/loop-store.ts';
import { isHere } from '../../views/loop-names.ts';
import { loopsContext } from '../loops/context.ts';
import { lsCommand } from '../loops/ls.ts';

const FIRST_STEPS = `ralph runs a coding agent in a loop until the work is proved done.

  ralph run "fix the failing tests"    start a loop in this folder
  ralph init                           choose the agent and the checks
  ralph ls                             list your loops
  ralph --help                         show all commands
`;

export async function showFirstSteps(): Promise<void> {
  const context = loopsContext();
  const loops = await context.store.list();
  if (loops.some((loop) => isReadable(loop) && isHere(loop, context.cwd))) await lsCommand({}, context);
  else process.stdout.write(FIRST_STEPS);
  process.stdout.write('\n');
}
