/** Finds the run that `ralph resume` continues, and refuses one that cannot be continued. */
import { existsSync } from 'node:fs';
import { plural } from '../../core/budget/usage.ts';
import { usedUpError } from '../../core/closing/used-up.ts';
import { RalphError } from '../../core/error.ts';
import { type LoopState, startedIterations } from '../../core/state.ts';
import type { StateRoot } from '../../state/paths.ts';
import { type ListedLoop, listLoops, newestToContinue, unlessUnreadable } from '../../state/registry.ts';
import { shortName } from '../../state/short-names.ts';
import type { RunData } from './state.ts';

/** Without an id, the newest unfinished loop of the directory. */
export function findLoop(id: string | null, cwd: string, root: StateRoot): ListedLoop {
  const found = id === null ? newestToContinue(root, 'run', cwd) : listLoops(root).find((loop) => loop.id === id);
  if (found?.loopKind === 'run') return withFolder(found, root);
  if (found) {
    const hint = `To continue it, run: ralph resume ${shortName(root, found.id)}`;
    throw new RalphError('OTHER_KIND', `loop ${shortName(root, found.id)} was not started by ralph run`, { hint });
  }
  const what = id === null ? `no unfinished loop in ${cwd}` : `no loop ${id} on this machine`;
  const hint = unlessUnreadable(root, 'Start one: ralph run "…"');
  throw new RalphError('NOTHING_TO_RESUME', what, { hint });
}

function withFolder(loop: ListedLoop, root: StateRoot): ListedLoop {
  if (existsSync(loop.cwd)) return loop;
  throw new RalphError('FOLDER_GONE', `the folder of loop ${shortName(root, loop.id)} is gone: ${loop.cwd}`, {
    hint: 'Move it back, or start a new loop where it is now: ralph run "…"',
  });
}

/** `given`: by `-m`. `otherwise`: the limit that applies now, because the settings may have changed. */
interface Limits {
  readonly given: number | null | undefined;
  readonly otherwise: number;
}

/** Refuses a limit that the loop has already reached: the loop would end at once. */
export function refuseReached(state: LoopState<RunData>, { given, otherwise }: Limits, root: StateRoot): void {
  const { phase, id } = state;
  // Publishing finished work needs no further iteration.
  const isPublishing = phase.at === 'over' && phase.ending.kind === 'unpublished';
  if (isPublishing || (given ?? otherwise) >= dueIteration(state)) return;
  const made = startedIterations(state);
  if (given == null) {
    const name = shortName(root, id);
    throw usedUpError({ kind: 'iteration-limit', limit: otherwise }, name, `ralph resume ${name} -m ${made * 2}`);
  }
  throw new RalphError(
    'LIMIT',
    `${plural(made, 'iteration')} ${made === 1 ? 'was' : 'were'} already made: -m must be higher`,
    { hint: `For example: ralph resume -m ${made * 2}` },
  );
}

/** `Resuming k3x9 (iteration 2 of 3): Fix the tests` */
export function resumingLine(state: LoopState<RunData>, root: StateRoot): string {
  const { id, data } = state;
  const { request, inputs } = data;
  const limit = request.maximumIterations ?? inputs?.maximumIterations ?? null;
  const due = dueIteration(state);
  const where =
    limit === null ? `iteration ${due}` : due > limit ? `at its limit of ${limit}` : `iteration ${due} of ${limit}`;
  return `Resuming ${shortName(root, id)} (${where}): ${firstLine(inputs?.prompt ?? request.prompt ?? request.promptFile ?? '')}`;
}

const LONGEST_PROMPT = 60;

function firstLine(prompt: string): string {
  const [line = ''] = prompt.trim().split('\n');
  const characters = [...line.trim()];
  const shown = characters.slice(0, LONGEST_PROMPT - 1).join('');
  return characters.length <= LONGEST_PROMPT ? characters.join('') : `${shown}…`;
}

/** The iteration that comes next, or is repeated. */
function dueIteration({ iteration, phase }: LoopState<RunData>): number {
  const isOver =
    phase.at === 'over' || phase.at === 'end'
      ? phase.ending.kind === 'iteration-limit' || phase.ending.kind === 'kept-failing'
      : phase.at === 'wait' && phase.then === 'next-iteration';
  return isOver ? iteration + 1 : iteration;
}
