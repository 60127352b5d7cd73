/** For `ralph resume`: the command that continues a loop of another kind than its own. */
import { RalphError } from '../core/error.ts';
import { quoteWord } from '../core/text/quote-word.ts';
import { NOTHING_TO_RESUME, OTHER_KIND } from '../loops/run/find-loop.ts';
import type { RalphRequest } from '../loops/swarm/ralph/rules.ts';
import type { TaskRequest } from '../loops/tasks/rules.ts';
import { readJournalEnds } from '../state/journal.ts';
import { journalPath, loopFolder, type StateRoot } from '../state/paths.ts';
import { isUnfinished, type ListedLoop, listLoops } from '../state/registry.ts';

/** The same refusal with the command that a person is after; as it is where there is none. */
export function withOtherLoops(error: unknown, id: string | null, cwd: string, root: StateRoot): unknown {
  if (!(error instanceof RalphError)) return error;
  const { code } = error;
  if (code === OTHER_KIND) {
    const loop = listLoops(root).find((one) => one.id === id);
    const hint = loop === undefined ? null : hintFor(loop, cwd, root);
    return hint === null ? error : new RalphError(code, error.message, { hint });
  }
  if (code !== NOTHING_TO_RESUME || id !== null) return error;
  const loop = listLoops(root).findLast((one) => isUnfinished(one) && continuationOf(one, root)?.cwd === cwd);
  if (loop === undefined) return error;
  const hint = `The newest loop here is of ${NAMES[loop.loopKind]}. ${hintFor(loop, cwd, root) ?? ''}`;
  return new RalphError(code, `no unfinished loop of ralph run in ${cwd}`, { hint });
}

const NAMES: Readonly<Record<string, string>> = { stories: 'ralph stories', task: 'ralph task', swarm: 'swarm' };

function hintFor(loop: ListedLoop, cwd: string, root: StateRoot): string | null {
  const continuation = continuationOf(loop, root);
  if (continuation === null) return null;
  if (!isUnfinished(loop)) return 'It is over: there is nothing to continue.';
  // The others are named by what they are, wherever one stands.
  const elsewhere = loop.loopKind === 'stories' && continuation.cwd !== cwd;
  const place = elsewhere ? `cd ${quoteWord(continuation.cwd)} && ` : '';
  return `To continue it, run: ${place}${continuation.command}`;
}

/** `cwd` is where the loop's agents work. */
function continuationOf(loop: ListedLoop, root: StateRoot): { readonly command: string; readonly cwd: string } | null {
  if (loop.loopKind === 'stories') return { command: 'ralph stories resume', cwd: loop.cwd };
  if (loop.loopKind === 'task') {
    const { kind, project, task, cwd } = optionsOf<TaskRequest>(loop, root);
    // A job is not resumed.
    if (kind !== 'task' || project === undefined || task === undefined || cwd === undefined) return null;
    return { command: `ralph task resume --project ${quoteWord(project)} --task ${quoteWord(task)}`, cwd };
  }
  const name = loop.loopKind === 'swarm' ? optionsOf<RalphRequest>(loop, root).name : undefined;
  return name === undefined ? null : { command: `swarm ralph resume ${quoteWord(name)}`, cwd: loop.cwd };
}

/** As its own kind wrote it; a journal may have been edited since. */
function optionsOf<Request>({ id }: ListedLoop, root: StateRoot): Partial<Request> {
  const created = readJournalEnds(journalPath(loopFolder(root, id)))?.first.result;
  return created?.kind === 'created' ? (created.options ?? {}) : {};
}
