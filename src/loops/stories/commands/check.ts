/** The Stop hook's checks by hand: what it would say if the agent stopped now, else what is not in order by itself. */
import { resolve } from 'node:path';
import { linesOf } from '../../../core/text/lines-of.ts';
import { thisMachine } from '../../../process/identity/identity.ts';
import { readPlain } from '../../../state/plain-file.ts';
import { markerIn } from '../files/active-file.ts';
import { knownLoop } from '../find-loop.ts';
import { verifyCommandsIn } from '../inputs.ts';
import { DEFAULT_REVIEW_CAP, isLeftBehind, MARKER_NAME, type ReadMarker } from '../list/active-marker.ts';
import { judgeAgainst, uncommitted, unreachableStories } from '../list/judge.ts';
import type { CommandProject } from '../project.ts';
import type { ReadOnlyTree } from './read-only-worktree.ts';

export async function checkStories(project: CommandProject, look: ReadOnlyTree) {
  const { cwd, environment } = project;
  const marker = markerIn(cwd);
  const idle = whyIdle(marker);
  const acting = idle === null ? marker : null;
  const last = knownLoop(environment.root, cwd)?.request;
  const ralphDir = acting?.ralphDir ?? project.ralphDir;
  const mode = acting?.iterationMode ?? null;
  const text = readPlain(resolve(cwd, ralphDir, 'tasks.json'));
  const verdict = judgeAgainst(acting?.preIterationSnapshot ?? null, text, {
    mode,
    story: acting?.story ?? null,
    reviewCap: acting?.reviewCap ?? last?.reviewCap ?? DEFAULT_REVIEW_CAP,
    skipReview: acting?.skipReview ?? last?.skipReview ?? false,
    frozen: acting?.frozen ?? null,
    shownPath: `${ralphDir}/tasks.json`,
  });
  // While an iteration runs, the hook blames it for its own changes only.
  const unreachable = verdict.kind === 'legal' && acting === null ? unreachableStories(new Map(), verdict.tasks) : [];
  const wrong = verdict.kind === 'legal' ? unreachable.join('\n') : verdict.reason;
  return {
    isHeld: acting !== null,
    /** By what it was judged, or why the transitions were not. */
    by: mode === null ? `${idle ?? 'no iteration runs'}, so transitions were not checked` : `mode ${mode}`,
    reasons: linesOf(wrong !== '' && wrong, ...(await uncommittedIn(look, ralphDir))),
    verifyCommands: last?.verify === false ? [] : verifyCommandsIn(text),
  };
}

async function uncommittedIn(look: ReadOnlyTree, ralphDir: string): Promise<string[]> {
  if ('problem' in look) return [`git was not asked what is uncommitted: ${look.problem}`];
  // A look into another repository would obey the settings of that one.
  const { stdout } = await look.tree.git(['status', '--porcelain', '--ignore-submodules=dirty']);
  return uncommitted(stdout, ralphDir);
}

/** Why the hook says nothing; null where it acts. */
function whyIdle(marker: ReadMarker | null): string | null {
  if (marker === null) return 'no iteration runs';
  if (marker.isPaused) return 'the loop is paused';
  return isLeftBehind(marker, thisMachine()) ? `${MARKER_NAME} was left by process ${marker.pid}, which is gone` : null;
}
