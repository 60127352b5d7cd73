/** The steps of a stories loop on this machine: marking an iteration, judging it, putting back, approving, telling. */
import { join } from 'node:path';
import { RalphError } from '../../core/error.ts';
import type { StepPerformers } from '../../engine/performers/perform.ts';
import type { MachineIdentity } from '../../process/identity/identity.ts';
import { headCommit } from '../../scm/git.ts';
import { readPlainBytes } from '../../state/plain-file.ts';
import { writeMarker } from './files/active-file.ts';
import type { Copies } from './files/copies.ts';
import { codeSeenIn } from './files/fingerprint.ts';
import { isoSeconds, writeMessage } from './files/messages.ts';
import { LARGEST_PRD } from './files/project-file.ts';
import { approve, putBack, putPromptBack, sendBack } from './files/put-back.ts';
import { repositoryWith, type WorkTree } from './files/work-tree.ts';
import type { LoopMarker } from './list/active-marker.ts';
import { judgeIteration, type Verdict } from './list/judge.ts';
import { isComplete } from './list/mode.ts';
import { snapshotOf } from './list/snapshot.ts';
import { knownTasks, newlyPassing, readTasks, type TasksFile } from './list/tasks.ts';
import type { StoriesProject } from './project.ts';
import { isSandboxed, type StoriesRequest } from './request.ts';
import type { Given, Judged, JudgeGiven, KeptVerdict, Marked, Spoilt, StoriesSteps } from './step-payloads.ts';

export interface StepSetting extends Omit<StoriesProject, 'cwd'> {
  readonly loop: string;
  readonly request: StoriesRequest;
  readonly copies: Copies;
  readonly tree: WorkTree;
  readonly machine: MachineIdentity;
  /** Makes the plugin ready where the agent runs; before every iteration, since an agent may have spoilt it there. */
  readonly loadPlugin: () => Promise<unknown>;
}

export function storiesSteps(setting: StepSetting): StepPerformers<StoriesSteps> {
  return {
    mark: (given) => mark(setting, given).catch(endedByCopies),
    judge: (given) => judge(setting, given).catch(endedByCopies),
    'prompt-back': (given, { key }) => putPromptBack(setting, given, key).catch(endedByCopies),
    'put-back': (given, { key }) => putBack(setting, given, key).catch(endedByCopies),
    approve: (given) => approve(setting, given).catch(endedByCopies),
    'send-back': (given) => sendBack(setting, given).catch(endedByCopies),
    async tell(given) {
      writeMessage(setting.tree.cwd, setting.folder, given);
      return null;
    },
  };
}

/** Without what an iteration began with nothing can be judged: that is an ending, not a crash. */
function endedByCopies(error: unknown): Spoilt {
  if (error instanceof RalphError && error.code === 'COPY_CHANGED') return { spoilt: error.message };
  throw error;
}

async function mark(setting: StepSetting, given: Given<'mark'>): Promise<Marked> {
  const { tree, folder, ralphDir, copies, machine } = setting;
  const { iteration, mode, story, tasks, stuckCount } = given;
  const list = knownTasks(copies.text(tasks));
  await setting.loadPlugin();
  await tree.carryIn(['tasks.json', 'prd.md', 'prompt.md'].map((name) => join(folder, name)));
  await writeMarker(tree, machine, {
    ...loopMarker(setting),
    iteration,
    iterationMode: mode,
    stuckCount,
    story,
    preIterationSnapshot: snapshotOf(list),
    verifyCommands: list.verifyCommands ?? null,
  });
  const code = await codeSeenIn(mode, tree, ralphDir);
  const head = await headCommit(tree.git);
  return { head, code, repository: await repositoryWith(head, tree.git) };
}

/** Says that nothing is judged now, and still which process turns the loop. */
export async function markPaused(setting: StepSetting): Promise<void> {
  await writeMarker(setting.tree, setting.machine, { ...loopMarker(setting), paused: true });
}

function loopMarker({ ralphDir, request }: StepSetting): Omit<LoopMarker, 'pid' | 'process'> {
  const { maxIterations, skipReview, reviewCap } = request;
  const timestamp = isoSeconds(Date.now());
  const mode = isSandboxed(request) ? 'sandbox' : 'direct';
  return { timestamp, maxIterations, mode, skipReview, reviewCap, ralphDir };
}

/** The hook's checks once more, on copies that the agent cannot reach by mistake. */
async function judge(setting: StepSetting, given: JudgeGiven): Promise<Judged> {
  const { folder, copies, tree, ralphDir } = setting;
  const list = readPlainBytes(join(folder, 'tasks.json'));
  return {
    ...judgedList(list, given, copies),
    prd: copies.keep(readPlainBytes(join(folder, 'prd.md'), LARGEST_PRD)),
    prompt: copies.keep(readPlainBytes(join(folder, 'prompt.md'))),
    head: await headCommit(tree.git),
    code: await codeSeenIn(given.mode, tree, ralphDir),
    repository: await repositoryWith(given.head ?? null, tree.git),
  };
}

export function judgedList(
  list: Buffer | null,
  given: JudgeGiven,
  copies: Copies,
): Pick<Judged, 'tasks' | 'verdict' | 'complete' | 'total'> {
  const text = list?.toString('utf8') ?? null;
  const before = knownTasks(copies.text(given.before));
  const { mode, reviewCap, skipReview, story } = given;
  // A map has no keys of its own making: a story may be called `constructor`.
  const reviews = new Map(Object.entries(given.reviews));
  const verdict = judgeIteration(before, text, { mode, story, reviewCap, reviews, skipReview });
  const after = readTasks(text);
  // What is put back was never complete.
  const isKept = after.isValid && verdict.kind !== 'illegal';
  const stories = (isKept ? after.tasks : before).userStories;
  return {
    tasks: copies.keep(list),
    verdict: kept(verdict, copies, skipReview, before),
    complete: stories.filter(({ passes }) => passes).length,
    total: stories.length,
  };
}

function kept(verdict: Verdict, copies: Copies, skipReview: boolean, before: TasksFile): KeptVerdict {
  switch (verdict.kind) {
    case 'legal': {
      const { tasks, changes } = verdict;
      const passed = newlyPassing(before, tasks);
      return { kind: 'legal', isComplete: isComplete(tasks, { skipReview }), ...changes, passed };
    }
    case 'at-cap': {
      const { story, wasApproved, changes } = verdict;
      const approved = copies.keep(`${JSON.stringify(verdict.approved, null, 2)}\n`) ?? '';
      const isDone = isComplete(verdict.approved, { skipReview });
      return { kind: 'at-cap', story, approved, wasApproved, isComplete: isDone, countBefore: changes.countBefore };
    }
    default:
      return verdict;
  }
}
