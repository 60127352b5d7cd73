/** The Stop hook's checks by hand: what it would say if the agent stopped now, else what is not in order by itself. */
import { resolve } from 'node:path';
import { isRunning, type MachineIdentity } from '../../../process/identity/identity.ts';
import type { StateRoot } from '../../../state/paths.ts';
import { readPlain } from '../../../state/plain-file.ts';
import { markerIn } from '../files/active-file.ts';
import { knownLoop } from '../find-loop.ts';
import { verifyCommandsIn } from '../inputs.ts';
import { DEFAULT_REVIEW_CAP, isLeftBehind, MARKER_NAME, type ReadMarker } from '../list/active-marker.ts';
import { unreachableStories } from '../list/dependencies.ts';
import { judgeAgainst } from '../list/judge.ts';
import type { TasksFile } from '../list/tasks.ts';
import type { OutsideLook } from './read-only-worktree.ts';

export interface CheckRequest {
  readonly projectDir: string;
  readonly ralphDir: string;
  readonly root: StateRoot;
  readonly place: MachineIdentity;
  readonly look: OutsideLook;
}

export interface Checked {
  /** Whether the hook would act at all. */
  readonly isHeld: boolean;
  /** By what it was judged, or why the transitions were not. */
  readonly by: string;
  readonly ralphDir: string;
  readonly reason: string | null;
  /** What `git status` tells, for check 3. */
  readonly status: string;
  /** Why git was not asked; null where it was. */
  readonly unasked: string | null;
  /** What the loop runs itself, and this does not. */
  readonly verifyCommands: readonly string[];
}

export async function checkStories({ projectDir, ralphDir, root, place, look }: CheckRequest): Promise<Checked> {
  const marker = markerIn(projectDir);
  const idle = whyIdle(marker, place);
  const acting = idle === null ? marker : null;
  const last = knownLoop(root, projectDir)?.request;
  const folder = acting?.ralphDir ?? ralphDir;
  const mode = acting?.iterationMode ?? null;
  const text = readPlain(resolve(projectDir, folder, 'tasks.json'));
  const verdict = judgeAgainst(acting?.preIterationSnapshot ?? null, text, {
    mode,
    story: acting?.story ?? null,
    reviewCap: acting?.reviewCap ?? last?.reviewCap ?? DEFAULT_REVIEW_CAP,
    skipReview: acting?.skipReview ?? last?.skipReview ?? false,
    frozen: acting?.frozen ?? null,
    shownPath: `${folder}/tasks.json`,
  });
  return {
    isHeld: acting !== null,
    by: mode === null ? `${idle ?? 'no iteration runs'}, so transitions were not checked` : `mode ${mode}`,
    ralphDir: folder,
    reason: verdict.kind === 'legal' ? unreachableIn(verdict.tasks, acting !== null) : verdict.reason,
    verifyCommands: last?.verify === false ? [] : verifyCommandsIn(text),
    ...(await statusOf(look)),
  };
}

/** Of a list that nobody is at work on; while an iteration runs, the hook blames it for its own changes only. */
function unreachableIn(tasks: TasksFile, isHeld: boolean): string | null {
  const problems = isHeld ? [] : unreachableStories(new Map(), tasks);
  return problems.length === 0 ? null : problems.join('\n');
}

async function statusOf(look: OutsideLook): Promise<Pick<Checked, 'status' | 'unasked'>> {
  if ('problem' in look) return { status: '', unasked: look.problem };
  // A look into another repository would obey the settings of that one.
  const { stdout } = await look.tree.git(['status', '--porcelain', '--ignore-submodules=dirty']);
  return { status: stdout, unasked: null };
}

/** Why the hook says nothing; null where it acts. */
function whyIdle(marker: ReadMarker | null, place: MachineIdentity): string | null {
  if (marker === null) return 'no iteration runs';
  if (marker.isPaused) return 'the loop is paused';
  return isLeftBehind(marker, place, (owner) => isRunning(owner, place))
    ? `${MARKER_NAME} was left by process ${marker.pid}, which is gone`
    : null;
}
