/** Where a stories loop stands, for people and programs: the list, the loop, what is left to do. */
import { resolve } from 'node:path';
import type { Ending } from '../../core/ending.ts';
import { readOrder } from '../../engine/orders.ts';
import type { Place } from '../../process/identity.ts';
import { lockHolder } from '../../state/lock.ts';
import { loopFolder, type StateRoot } from '../../state/paths.ts';
import { readPlain } from '../../state/plain-file.ts';
import { workTreeLock } from '../../state/work-tree-lock.ts';
import { type KnownLoop, knownLoop } from './find-loop.ts';
import { waitingReason } from './inputs.ts';
import { markerIn, markerPid } from './marker-file.ts';
import { isCapApproval } from './rules-judge.ts';
import { chooseMode, estimateBudget, isComplete } from './rules-mode.ts';
import { readTasks } from './rules-tasks.ts';

export interface Survey {
  readonly project: string | null;
  readonly stories: readonly SurveyedStory[];
  /** Why there is no list to show. */
  readonly problem: string | null;
  readonly isComplete: boolean;
  /** `waits` tells why there is no story for it. */
  readonly next: { readonly mode: string; readonly story: string | null; readonly waits: string | null } | null;
  readonly budget: string | null;
  readonly loop: SurveyedLoop | null;
}

export interface SurveyedStory {
  readonly id: string;
  readonly title: string;
  readonly state: 'open' | 'needs_review' | 'changes_requested' | 'approved' | 'passes';
  readonly reviewCount: number;
  readonly isCapApproval: boolean;
}

export interface SurveyedLoop {
  /** Null for one that another harness turns, or one with another state folder. */
  readonly id: string | null;
  readonly state: 'running' | 'pausing' | 'paused' | 'interrupted' | 'ended';
  readonly pid: number | null;
  readonly iteration: number | null;
  readonly ending: Ending | null;
}

export interface SurveyPlace {
  readonly projectDir: string;
  readonly ralphDir: string;
  readonly root: StateRoot;
  readonly place: Place;
}

export function surveyStories({ projectDir, ralphDir, root, place }: SurveyPlace): Survey {
  const known = knownLoop(root, projectDir);
  const skipReview = markerIn(projectDir)?.skipReview ?? known?.request?.skipReview ?? false;
  const read = readTasks(readPlain(resolve(projectDir, ralphDir, 'tasks.json')), `${ralphDir}/tasks.json`);
  const loop = loopIn(projectDir, known, root, place);
  if (!read.isValid) {
    const problem = read.problems[0] ?? '';
    return { project: null, stories: [], problem, isComplete: false, next: null, budget: null, loop };
  }
  const { tasks } = read;
  const isDone = isComplete(tasks, { skipReview });
  const { mode, story } = chooseMode(tasks, { skipReview });
  return {
    project: tasks.project,
    stories: tasks.userStories.map((one) => ({
      id: one.id,
      title: one.title,
      state: one.reviewStatus ?? (one.passes ? 'passes' : 'open'),
      reviewCount: one.reviewCount,
      isCapApproval: isCapApproval(one),
    })),
    problem: null,
    isComplete: isDone,
    next: isDone ? null : { mode, story: story?.id ?? null, waits: story ? null : waitingReason(tasks, ralphDir) },
    budget: isDone ? null : estimateBudget(tasks, { skipReview }).text,
    loop,
  };
}

function loopIn(cwd: string, known: KnownLoop | null, root: StateRoot, place: Place): SurveyedLoop | null {
  const marked = markerPid(cwd, place);
  if (known === null || (known.status.ending !== null && marked !== null)) {
    return marked === null ? null : { id: null, state: 'running', pid: marked, iteration: null, ending: null };
  }
  const { id, iteration, ending } = known.status;
  const holder = ending === null ? lockHolder(workTreeLock(root, cwd), place) : null;
  // A loop of another door may work here meanwhile.
  const pid = holder?.purpose === `loop ${id}` ? holder.pid : null;
  const isTold = readOrder(loopFolder(root, id)) === 'pause';
  const turning = isTold ? (known.isPaused ? 'paused' : 'pausing') : 'running';
  const state = ending !== null ? 'ended' : pid === null ? 'interrupted' : turning;
  return { id, state, pid, iteration, ending };
}
