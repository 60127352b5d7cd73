/** Which loop `ralph resume` continues, and the refusals of one that it cannot. */
import { existsSync } from 'node:fs';
import { RalphError } from '../../core/error.ts';
import { type LoopState, startedIterations } from '../../core/state.ts';
import { quoteWord } from '../../core/text/quote-word.ts';
import { plural } from '../../core/usage.ts';
import { readJournalEnds } from '../../state/journal.ts';
import { journalPath, loopFolder, type StateRoot } from '../../state/paths.ts';
import { isUnfinished, type ListedLoop, listLoops, newestToContinue, unlessUnreadable } from '../../state/registry.ts';
import type { RunData } from './rules.ts';

/** Without an id, the newest of the directory that is not done. A loop of another kind is refused with its own command. */
export function findLoop(id: string | null, cwd: string, root: StateRoot): ListedLoop {
  const found = id === null ? newestToContinue(root, 'run', cwd) : listLoops(root).find((loop) => loop.id === id);
  if (found?.loopKind === 'run') return withFolder(found);
  if (found) {
    const hint = hintFor(found, cwd, root) ?? 'Only loops of `ralph run` can be resumed from here.';
    throw new RalphError('OTHER_KIND', `loop ${found.id} was not started by ralph run`, { hint });
  }
  const isHere = (loop: ListedLoop): boolean => isUnfinished(loop) && continuationOf(loop, root)?.cwd === cwd;
  const other = id === null ? listLoops(root).findLast(isHere) : undefined;
  if (other !== undefined) {
    const hint = `The newest loop here is of ${NAMES[other.loopKind]}. ${hintFor(other, cwd, root) ?? ''}`;
    throw new RalphError('NOTHING_TO_RESUME', `no unfinished loop of ralph run in ${cwd}`, { hint });
  }
  const what = id === null ? `no unfinished loop in ${cwd}` : `no loop ${id} on this machine`;
  const hint = unlessUnreadable(root, 'Start one: ralph run -p "…"');
  throw new RalphError('NOTHING_TO_RESUME', what, { hint });
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

/** The command that continues a loop of another kind, and where its agents work; null where none does. */
function continuationOf({ id, loopKind, cwd }: ListedLoop, root: StateRoot): { command: string; cwd: string } | null {
  if (loopKind === 'stories') return { command: 'ralph stories resume', cwd };
  if (loopKind !== 'task' && loopKind !== 'swarm') return null;
  const created = readJournalEnds(journalPath(loopFolder(root, id)))?.first.result;
  // As its own kind wrote it; a journal may have been edited since.
  const options = (created?.kind === 'created' ? created.options : null) as Readonly<Record<string, string>> | null;
  const { kind, project, task, cwd: at, name } = options ?? {};
  if (loopKind === 'swarm')
    return name === undefined ? null : { command: `swarm ralph resume ${quoteWord(name)}`, cwd };
  // A job is not resumed.
  if (kind !== 'task' || project === undefined || task === undefined || at === undefined) return null;
  return { command: `ralph task resume --project ${quoteWord(project)} --task ${quoteWord(task)}`, cwd: at };
}

function withFolder(loop: ListedLoop): ListedLoop {
  if (existsSync(loop.cwd)) return loop;
  throw new RalphError('FOLDER_GONE', `the folder of loop ${loop.id} is gone: ${loop.cwd}`, {
    hint: 'Move it back, or start a new loop where it is now: ralph run -p "…"',
  });
}

/** A limit that the loop has reached already would end it at once. */
export function refuseReached(state: LoopState<RunData>, maximumIterations: number | null | undefined): void {
  const { phase } = state;
  // Whose work is done needs no further iteration.
  const isPublishing = phase.at === 'over' && phase.ending.kind === 'unpublished';
  if (maximumIterations == null || isPublishing || maximumIterations >= dueIteration(state)) return;
  const made = startedIterations(state);
  throw new RalphError(
    'LIMIT',
    `${plural(made, 'iteration')} ${made === 1 ? 'was' : 'were'} already made: -m must be higher`,
    { hint: `For example: ralph resume -m ${made * 2}` },
  );
}

/** `Resuming 20261116-… (iteration 2 of 3): Fix the tests` */
export function resumingLine(state: LoopState<RunData>): string {
  const { id, data } = state;
  const { request, inputs } = data;
  const limit = request.maximumIterations ?? inputs?.maximumIterations ?? null;
  const due = dueIteration(state);
  const where =
    limit === null ? `iteration ${due}` : due > limit ? `at its limit of ${limit}` : `iteration ${due} of ${limit}`;
  return `Resuming ${id} (${where}): ${firstLine(inputs?.prompt ?? request.prompt ?? request.promptFile ?? '')}`;
}

const LONGEST_PROMPT = 60;

function firstLine(prompt: string): string {
  const [line = ''] = prompt.trim().split('\n');
  const characters = [...line.trim()];
  const shown = characters.slice(0, LONGEST_PROMPT - 1).join('');
  return characters.length <= LONGEST_PROMPT ? characters.join('') : `${shown}…`;
}

/** The iteration that comes next, or is done again. */
function dueIteration({ iteration, phase }: LoopState<RunData>): number {
  const isOver =
    phase.at === 'over' || phase.at === 'end'
      ? phase.ending.kind === 'iteration-limit' || phase.ending.kind === 'kept-failing'
      : phase.at === 'wait' && phase.then === 'next-iteration';
  return isOver ? iteration + 1 : iteration;
}
