/** `ralph gc <loop>`: deletes a loop that has no supervisor, even if it could be resumed. */
import { RalphError } from '../../core/error.ts';
import { removeLoop } from '../../engine/left-behind/collect-loops.ts';
import { endLeftRun } from '../../engine/left-behind/orphans.ts';
import type { ReadableLoop } from '../../engine/store/loop-store.ts';
import { sizeOfFolder } from '../../state/folders.ts';
import { loopFolder } from '../../state/paths.ts';
import { iterationWords, sizeWords } from '../../views/loop-words.ts';
import { isResumable } from '../../views/resumable.ts';
import { foundLoop, type LoopsContext } from './context.ts';
import { refuseOwnAgent } from './steer.ts';

export async function dropCommand(
  names: readonly string[],
  { dryRun = false }: { readonly dryRun?: boolean },
  context: LoopsContext,
): Promise<number> {
  const { environment, say } = context;
  const { root } = environment;
  // Check all of them before deleting the first.
  const found = [];
  for (const name of names) found.push(await droppable(name, context));
  for (const { loop, short } of found) {
    const size = sizeWords(sizeOfFolder(loopFolder(root, loop.id)));
    const what = `loop ${short} (${iterationWords(loop)}, ${size})`;
    if (dryRun) {
      say(`Would delete ${what}.`);
      continue;
    }
    await endLeftRun(root, loop);
    if (!(await removeLoop(loop, { root, warn: (line) => say(line, 'yellow') })))
      throw new RalphError('IN_USE', `loop ${short} is in use, and is not deleted`, { exitCode: 1 });
    say(`Deleted ${what}. Your files are as they were.`);
  }
  return 0;
}

async function droppable(name: string, context: LoopsContext) {
  const found = await foundLoop(context, { name });
  const { loop, short } = found;
  refuseOwnAgent(loop, context);
  if (loop.ending === null && loop.supervisor !== null) {
    const hint = `Stop it first: ralph stop ${short}`;
    throw new RalphError('RUNNING', `loop ${short} is running (pid ${loop.supervisor.pid ?? 'unknown'})`, { hint });
  }
  const hint = dropsOtherwise(loop);
  if (hint !== null) throw new RalphError('LOOP_KIND', `loop ${short} cannot be deleted on its own`, { hint });
  return found;
}

/** How to delete a loop that other files refer to, together with them; null if there are none. */
function dropsOtherwise(loop: ReadableLoop): string | null {
  const { loopKind, about } = loop;
  if (loopKind === 'swarm') return `It belongs to a worker. Delete both: swarm clean ${about.name ?? '<name>'}`;
  if (loopKind === 'task' || loopKind === 'job' || loopKind === 'ralph-loop')
    return 'It belongs to a task. To delete both: ralph task delete --project <id> --task <id>';
  if (loopKind === 'session' && (loop.ending === null || isResumable(loop)))
    return 'It belongs to a session. In that session, type: /cancel-ralph';
  return null;
}
