/** `ralph stories check`: the Stop hook's checks by hand, what it would say if the agent stopped now, else what is not in order. */
import { resolve } from 'node:path';
import { linesOf } from '../../core/text/lines-of.ts';
import { knownLoop, markerIn } from '../../loops/stories/find-loop.ts';
import { verifyCommandsIn } from '../../loops/stories/inputs.ts';
import {
  DEFAULT_REVIEW_CAP,
  isLeftBehind,
  MARKER_NAME,
  type ReadMarker,
} from '../../loops/stories/list/active-marker.ts';
import { judgeAgainst, uncommitted, unreachableStories } from '../../loops/stories/list/judge.ts';
import { readPlain } from '../../process/files.ts';
import { thisMachine } from '../../process/identity/identity.ts';
import { printable } from '../../stream/printable.ts';
import { listedProjectOf, type ProjectFlags, type ReadOnlyTree, withReadOnlyTree } from './project.ts';
import type { Program } from './run.ts';

export async function checkCommand(flags: ProjectFlags, { self }: Program): Promise<number> {
  const project = listedProjectOf(flags);
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
  const open = await withReadOnlyTree(project, self, (look) => uncommittedIn(look, ralphDir));
  const reasons = linesOf(wrong !== '' && wrong, ...open);
  const by = mode === null ? `${idle ?? 'no iteration runs'}, so transitions were not checked` : `mode ${mode}`;
  if (reasons.length > 0) {
    process.stdout.write(`${printable(reasons.join('\n\n'))}\n`);
    const what = acting === null ? 'Not in order' : 'The Stop hook would not let the agent stop';
    process.stderr.write(`[ralph] ${what} (${by}).\n`);
    return 1;
  }
  process.stdout.write(`[ralph] All checks passed (${by}).\n`);
  const commands = last?.verify === false ? '' : printable(verifyCommandsIn(text).join(', '));
  if (commands !== '')
    process.stdout.write(`[ralph] Not run here: ${commands}. The loop runs them before a story counts.\n`);
  return 0;
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
