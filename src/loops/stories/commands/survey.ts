/** Where a stories loop stands, for people and programs: the list, the loop, what is left to do. */
import { join } from 'node:path';
import { canContinue, type Ending } from '../../../core/ending.ts';
import { RalphError } from '../../../core/error.ts';
import { wantedOf } from '../../../engine/control.ts';
import { thisMachine } from '../../../process/identity/identity.ts';
import { lockHolder } from '../../../state/lock.ts';
import type { StateRoot } from '../../../state/paths.ts';
import { readPlain } from '../../../state/plain-file.ts';
import { workTreeLock } from '../../../state/work-tree-lock.ts';
import { continueCommand } from '../closing.ts';
import { livingMarker, markerIn } from '../files/active-file.ts';
import { type Copies, copiesIn } from '../files/copies.ts';
import { awaitsAnswer, DECIDE_FILE } from '../files/messages.ts';
import { type KnownLoop, knownLoop } from '../find-loop.ts';
import { verifyCommandsIn, waitingReason } from '../inputs.ts';
import { isCapApproval } from '../list/judge.ts';
import { chooseMode, estimateBudget, isComplete } from '../list/mode.ts';
import { readTasks, type Story } from '../list/tasks.ts';
import type { CommandProject } from '../project.ts';
import type { CopyName } from '../step-payloads.ts';
import { iterationsWithRun } from '../story-state.ts';
import type { Verified } from '../verify-rules.ts';

export interface Survey {
  readonly project: string | null;
  readonly stories: readonly SurveyedStory[];
  /** Why there is no list to show. */
  readonly problem: string | null;
  readonly isComplete: boolean;
  /** `waits` tells why there is no story for it. */
  readonly next: { readonly mode: string; readonly story: string | null; readonly waits: string | null } | null;
  readonly budget: string | null;
  readonly verify: SurveyedVerify;
  readonly loop: SurveyedLoop | null;
}

export interface SurveyedStory {
  readonly id: string;
  readonly title: string;
  /** `unverified`: an agent has written that it passes, and the loop has not judged or verified that yet. */
  readonly state: 'open' | 'needs_review' | 'changes_requested' | 'approved' | 'passes' | 'unverified';
  readonly reviewCount: number;
  readonly isCapApproval: boolean;
}

/** The loop's own run of `verifyCommands`. */
export interface SurveyedVerify {
  readonly commands: readonly string[];
  /** False where the loop was started with `--no-verify`. */
  readonly isOn: boolean;
  /** The newest loop's last run of all of them. */
  readonly last: Verified | null;
}

export interface SurveyedLoop {
  /** Null for one that another harness turns, or one with another state folder. */
  readonly id: string | null;
  readonly state: 'running' | 'pausing' | 'paused' | 'interrupted' | 'ended';
  /** Whoever holds the lock; null where only the marker tells of somebody. */
  readonly pid: number | null;
  readonly iteration: number | null;
  readonly ending: Ending | null;
  /** In how many iterations an agent was started. */
  readonly started: number | null;
  /** The command that continues it; null where none does. */
  readonly continueWith: string | null;
}

export function surveyStories(project: CommandProject): Survey {
  const { cwd, ralphDir, folder, environment } = project;
  const known = knownLoop(environment.root, cwd);
  const skipReview = markerIn(cwd)?.skipReview ?? known?.request?.skipReview ?? false;
  const text = readPlain(join(folder, 'tasks.json'));
  const read = readTasks(text, `${ralphDir}/tasks.json`);
  const isOn = known?.request?.verify !== false;
  const verify = { commands: verifyCommandsIn(text), isOn, last: known?.state?.data.verified ?? null };
  const loop = loopIn(cwd, known, environment.root);
  if (!read.isValid) {
    const problem = read.problems[0] ?? '';
    return { project: null, stories: [], problem, isComplete: false, next: null, budget: null, verify, loop };
  }
  const { tasks } = read;
  const isUnverified = unverifiedIn(known);
  const isRed = (verify.last?.red.length ?? 0) > 0;
  const isPassed = isComplete(tasks, { skipReview });
  const isDone = isPassed && !isRed && !tasks.userStories.some(isUnverified);
  const { mode, story } = chooseMode(tasks, { skipReview });
  const isAsked = awaitsAnswer(project, known?.status.ending ?? null);
  const waits = isAsked
    ? `${ralphDir}/${DECIDE_FILE} waits for your answer`
    : story
      ? null
      : waitingReason(tasks, ralphDir);
  return {
    project: tasks.project,
    stories: tasks.userStories.map((one) => ({
      id: one.id,
      title: one.title,
      state: isUnverified(one) ? 'unverified' : (one.reviewStatus ?? (one.passes ? 'passes' : 'open')),
      reviewCount: one.reviewCount,
      isCapApproval: isCapApproval(one),
    })),
    problem: null,
    isComplete: isDone,
    next: isPassed ? null : { mode, story: story?.id ?? null, waits },
    budget: isPassed ? null : estimateBudget(tasks, { skipReview }),
    verify,
    loop,
  };
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

function loopIn(cwd: string, known: KnownLoop | null, root: StateRoot): SurveyedLoop | null {
  const isMarked = livingMarker(cwd) !== null;
  if (known === null || (known.status.ending !== null && isMarked)) {
    return isMarked
      ? { id: null, state: 'running', pid: null, iteration: null, ending: null, started: null, continueWith: null }
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
  const started = folded === null ? null : iterationsWithRun(folded);
  const mayGoOn = state !== 'ended' || (ending !== null && canContinue(ending) && ending.kind !== 'tampered');
  const continueWith = mayGoOn ? (folded === null ? 'ralph stories resume' : continueCommand(folded, ending)) : null;
  return { id, state, pid, iteration: folded?.iteration ?? null, ending, started, continueWith };
}
