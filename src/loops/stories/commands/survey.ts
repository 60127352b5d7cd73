/** Where a stories loop stands, for people and programs: the list, the loop, what is left to do. */
import { join } from 'node:path';
import { canContinue, type Ending } from '../../../core/ending.ts';
import { RalphError } from '../../../core/error.ts';
import { wantedOf } from '../../../engine/control.ts';
import { thisMachine } from '../../../process/identity/identity.ts';
import { lockHolder } from '../../../state/lock.ts';
import { type StateRoot, workTreeLock } from '../../../state/paths.ts';
import { readPlain } from '../../../state/plain-file.ts';
import { continueCommand } from '../closing.ts';
import { livingMarker, markerIn } from '../files/active-file.ts';
import { type Copies, copiesIn } from '../files/copies.ts';
import { awaitsAnswer, DECIDE_FILE } from '../files/messages.ts';
import { type KnownLoop, knownLoop } from '../find-loop.ts';
import { verifyCommandsIn, waitingReason } from '../inputs.ts';
import { isCapApproval } from '../list/judge.ts';
import { chooseMode, estimateBudget, isComplete } from '../list/mode.ts';
import { readTasks, type Story, type TasksFile } from '../list/tasks.ts';
import type { CommandProject } from '../project.ts';
import { type CopyName, iterationsWithRun } from '../state.ts';

export type Survey = ReturnType<typeof surveyStories>;
export type SurveyedStory = Survey['stories'][number];
export type SurveyedLoop = NonNullable<Survey['loop']>;

export function surveyStories(project: CommandProject) {
  const { cwd, ralphDir, folder, environment } = project;
  const known = knownLoop(environment.root, cwd);
  const skipReview = markerIn(cwd)?.skipReview ?? known?.request?.skipReview ?? false;
  const text = readPlain(join(folder, 'tasks.json'));
  const read = readTasks(text, `${ralphDir}/tasks.json`);
  const { tasks } = read.isValid ? read : { tasks: null };
  const isUnverified = unverifiedIn(known);
  const last = known?.state?.data.verified ?? null;
  const isRed = last !== null && last.red.length > 0;
  const isPassed = tasks !== null && isComplete(tasks, { skipReview });
  const open = isPassed ? null : tasks;
  return {
    project: tasks?.project ?? null,
    stories: (tasks?.userStories ?? []).map((one) => ({
      id: one.id,
      title: one.title,
      // `unverified`: an agent has written that it passes, and the loop has not judged or verified that yet.
      state: isUnverified(one) ? 'unverified' : (one.reviewStatus ?? (one.passes ? 'passes' : 'open')),
      reviewCount: one.reviewCount,
      isCapApproval: isCapApproval(one),
    })),
    problem: read.isValid ? null : (read.problems[0] ?? ''),
    isComplete: isPassed && !isRed && !tasks.userStories.some(isUnverified),
    next: open && nextIn(open, skipReview, project, known?.status.ending ?? null),
    budget: open && estimateBudget(open, { skipReview }),
    verify: { commands: verifyCommandsIn(text), isOn: known?.request?.verify !== false, last },
    loop: loopIn(cwd, known, environment.root),
  };
}

/** `waits` tells why there is no story for it. */
function nextIn(tasks: TasksFile, skipReview: boolean, project: CommandProject, ending: Ending | null) {
  const { mode, story } = chooseMode(tasks, { skipReview });
  const { ralphDir } = project;
  const waits = story === null ? waitingReason(tasks, ralphDir) : null;
  const asked = awaitsAnswer(project, ending) ? `${ralphDir}/${DECIDE_FILE} waits for your answer` : null;
  return { mode, story: story?.id ?? null, waits: asked ?? waits };
}

/** Passes in the list, and did not when the iteration began that is not judged yet. */
function unverifiedIn(known: KnownLoop | null): (story: Story) => boolean {
  const running = known?.status.ending === null ? known.state?.data.running : null;
  if (known === null || running == null) return () => false;
  const before = readTasks(textOf(copiesIn(known.folder), running.tasks));
  if (!before.isValid) return () => false;
  const passed = new Set(before.tasks.userStories.filter(({ passes }) => passes).map(({ id }) => id));
  return ({ id, passes }) => passes && !passed.has(id);
}

function textOf(copies: Copies, name: CopyName): string | null {
  try {
    return copies.text(name);
  } catch (error) {
    if (error instanceof RalphError && error.code === 'COPY_CHANGED') return null;
    throw error;
  }
}

/** Its id and pid are null where only the marker tells of it: of another program, or with another state folder. */
function loopIn(cwd: string, known: KnownLoop | null, root: StateRoot) {
  const isMarked = livingMarker(cwd) !== null;
  if (known === null || (known.status.ending !== null && isMarked)) {
    const state = 'running' as const;
    return isMarked
      ? { id: null, state, pid: null, iteration: null, ending: null, started: null, continueWith: null }
      : null;
  }
  const { status, state: folded } = known;
  const { id, ending } = status;
  const holder = ending === null ? lockHolder(workTreeLock(root, cwd), thisMachine()) : null;
  // A loop of another kind may work here meanwhile.
  const pid = holder?.purpose === `loop ${id}` ? holder.pid : null;
  const isTold = wantedOf(known.folder) === 'pause';
  const turning = isTold ? (known.isPaused ? 'paused' : 'pausing') : 'running';
  const state = ending !== null ? 'ended' : pid === null ? 'interrupted' : turning;
  const mayGoOn = ending === null || (canContinue(ending) && ending.kind !== 'tampered');
  const resume = folded === null ? 'ralph stories resume' : continueCommand(folded, ending);
  return {
    id,
    state,
    pid,
    iteration: folded?.iteration ?? null,
    ending,
    started: folded === null ? null : iterationsWithRun(folded),
    continueWith: mayGoOn ? resume : null,
  } as const;
}
