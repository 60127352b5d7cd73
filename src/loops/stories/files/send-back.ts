/** Takes an approval back in the list: `verifyCommands` failed, and what they said is what is to be mended. */
import { join } from 'node:path';
import { CAP_PREFIX } from '../list/allowed-changes.ts';
import { readTasks, type Story } from '../list/tasks.ts';
import type { SendBackGiven, SentBack } from '../step-payloads.ts';
import type { StepSetting } from '../steps.ts';
import { ownCommit, trackedAmong } from './own-commit.ts';

/** Done again after a crash it writes the same once more: it begins with the harness's own copy. */
export async function sendBack(setting: StepSetting, given: SendBackGiven): Promise<SentBack> {
  const { folder, copies, tree, ralphDir } = setting;
  const { stories, skipReview } = given;
  const read = readTasks(copies.text(given.tasks));
  if (!read.isValid) throw new Error('a list that was judged is none');
  const userStories = read.tasks.userStories.map((story) =>
    stories.includes(story.id) ? withoutApproval(story, given) : story,
  );
  const text = `${JSON.stringify({ ...read.tasks, userStories }, null, 2)}\n`;
  await tree.write(join(folder, 'tasks.json'), text);
  const what = skipReview ? 'does not pass' : 'changes requested';
  const committed = await ownCommit({
    tree,
    paths: await trackedAmong([`${ralphDir}/tasks.json`], null, tree),
    message: `review: ${stories.join(', ')} - ${what}, verifyCommands failed`,
  });
  return { tasks: copies.keep(text), complete: userStories.filter(({ passes }) => passes).length, ...committed };
}

/** `reviewCount` stands: the review has been. Without reviews there is nothing but `passes`. */
function withoutApproval(story: Story, { feedback, skipReview }: SendBackGiven): Story {
  if (skipReview) return { ...story, passes: false };
  const said = story.reviewFeedback.replace(CAP_PREFIX, '').trim();
  return {
    ...story,
    passes: false,
    reviewStatus: 'changes_requested',
    reviewFeedback: said === '' ? feedback : `${feedback}\n\nThe review itself said:\n${said}`,
  };
}
