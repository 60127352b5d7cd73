/** The harness's own judgement of a run: the hook's checks once more, on copies that the agent cannot reach by mistake. */
import { join } from 'node:path';
import { headCommit } from '../../../scm/git.ts';
import { readPlainBytes } from '../../../state/plain-file.ts';
import { judgeIteration, type Verdict } from '../list/judge.ts';
import { isComplete } from '../list/mode.ts';
import { knownTasks, newlyPassing, readTasks, type TasksFile } from '../list/tasks.ts';
import type { Judged, JudgeGiven, KeptVerdict } from '../step-payloads.ts';
import type { StepSetting } from '../steps.ts';
import type { Copies } from './copies.ts';
import { codeSeenIn } from './fingerprint.ts';
import { LARGEST_PRD } from './project-file.ts';
import { repositoryWith } from './work-tree.ts';

export async function judgeRun(setting: StepSetting, given: JudgeGiven): Promise<Judged> {
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
