/** The harness's own judgement of a run: the hook's checks once more, on copies that the agent cannot reach by mistake. */
import { join } from 'node:path';
import { headCommit } from '../../scm/git.ts';
import { codePrint } from './code-print.ts';
import type { Judged, JudgeGiven, KeptVerdict } from './facts.ts';
import { readPlain } from './project-file.ts';
import { judgeIteration, type Verdict } from './rules-judge.ts';
import { isComplete } from './rules-mode.ts';
import { readTasks, type TasksFile } from './rules-tasks.ts';
import type { StepSetting } from './steps.ts';

export async function judgeRun(setting: StepSetting, given: JudgeGiven): Promise<Judged> {
  const { folder, copies, cwd, env, ralphDir } = setting;
  const text = readPlain(join(folder, 'tasks.json'));
  const before = readTasks(copies.read(given.before));
  if (!before.isValid) throw new Error('an iteration began with a list that is none');
  const { mode, reviewCap, reviews, skipReview, story } = given;
  const verdict = judgeIteration(before.tasks, text, { mode, story, reviewCap, reviews, skipReview });
  const after = readTasks(text);
  const stories = (after.isValid ? after : before).tasks.userStories;
  return {
    tasks: copies.keep(text),
    prd: copies.keep(readPlain(join(folder, 'prd.md'))),
    head: await headCommit(cwd, env),
    code: mode === 'review-fix' ? await codePrint(cwd, ralphDir, env) : null,
    verdict: kept(verdict, setting, skipReview),
    complete: stories.filter(({ passes }) => passes).length,
    total: stories.length,
  };
}

export function listText(tasks: TasksFile): string {
  return `${JSON.stringify(tasks, null, 2)}\n`;
}

function kept(verdict: Verdict, { copies }: StepSetting, skipReview: boolean): KeptVerdict {
  switch (verdict.kind) {
    case 'legal': {
      const { submitted, approved, sentBack, isCapApproval } = verdict.changes;
      const isDone = isComplete(verdict.tasks, { skipReview });
      return { kind: 'legal', isComplete: isDone, submitted, approved, sentBack, isCapApproval };
    }
    case 'no-verdict':
    case 'illegal':
      return { kind: verdict.kind, reason: verdict.reason };
    case 'at-cap': {
      const approved = copies.keep(listText(verdict.approved)) ?? '';
      return {
        kind: 'at-cap',
        story: verdict.story,
        approved,
        isComplete: isComplete(verdict.approved, { skipReview }),
      };
    }
  }
}
