/** Warns, when a loop starts, of an unfinished one in the same directory that could be continued instead. */
import { type Finding, warning } from '../../core/finding.ts';
import { isReadable } from '../../engine/store/loop-store.ts';
import { newestToContinue } from '../../state/registry.ts';
import { shortNames } from '../../state/short-names.ts';
import { iterationWords } from '../../views/loop-words.ts';
import { resumeFlags } from '../../views/resumable.ts';
import { loopsContext } from './context.ts';

/** Null if there is none. */
export async function unfinishedLoop(loopKind: string): Promise<Finding | null> {
  const { environment, store, cwd } = loopsContext();
  // Usually there is none, and this check is cheaper than a list.
  const newest = newestToContinue(environment.root, loopKind, cwd);
  if (newest === null) return null;
  const all = await store.list();
  const loop = all.filter(isReadable).find(({ id }) => id === newest.id);
  // If that loop is running, the new one is refused in a moment anyway.
  if (loop === undefined || loop.supervisor !== null) return null;
  const short = shortNames(all.map(({ id }) => id)).get(loop.id) ?? loop.id;
  return warning(
    `loop ${short} here is unfinished (${iterationWords(loop)})`,
    `to continue it: ralph resume ${short}${resumeFlags(loop)}; to drop it: ralph gc ${short}`,
  );
}
