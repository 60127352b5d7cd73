/**
 * Makes the list, the PRD and the prompt what the loop wants them to be: as they were, approved, or sent back. Only these
 * files are committed, and only where git knows them; what the agent made of them is kept for reading.
 */
import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder } from '../../../state/folders.ts';
import { readPlainBytes } from '../../../state/plain-file.ts';
import { writeProjection } from '../../../state/projection.ts';
import { CAP_PREFIX } from '../list/allowed-changes.ts';
import { knownTasks, type Story } from '../list/tasks.ts';
import type { Committed, CopyName, Gave, Given, PutBack, PutBackGiven } from '../step-payloads.ts';
import type { StepSetting } from '../steps.ts';
import { nameOf } from './copies.ts';
import { LARGEST_PRD } from './project-file.ts';
import { ownCommit, trackedAmong } from './work-tree.ts';

const MESSAGES: Readonly<Record<PutBackGiven['why'], string>> = {
  tampered: 'the iteration made changes that it may not make',
  failed: 'the iteration failed',
  interrupted: 'the iteration was cut off',
  'no-fix': 'the review-fix changed no code',
  uncounted: 'the iteration does not count',
  between: 'it was changed between two iterations',
};

export async function putBack(setting: StepSetting, given: PutBackGiven, key: string): Promise<PutBack> {
  const kept = [
    ...(await putBackOne(setting, 'tasks.json', given.tasks, key)),
    ...(await putBackOne(setting, 'prd.md', given.prd, key)),
  ];
  const message = `chore(ralph): put the story list back — ${MESSAGES[given.why]}`;
  return { kept, ...(await committed(setting, message, given.head, 'tasks.json', 'prd.md')) };
}

export async function putPromptBack(setting: StepSetting, given: Given<'prompt-back'>, key: string): Promise<PutBack> {
  const kept = await putBackOne(setting, 'prompt.md', given.prompt, key);
  const message = 'chore(ralph): put prompt.md back — the iteration changed it';
  return { kept, ...(await committed(setting, message, given.head, 'prompt.md')) };
}

/** The last review asked for changes, or left something to say: the story passes all the same, and says so. */
export async function approve(setting: StepSetting, { story, approved }: Given<'approve'>): Promise<PutBack> {
  await setting.tree.write(join(setting.folder, 'tasks.json'), setting.copies.read(approved));
  return { kept: [], ...(await committed(setting, `review: ${story} - auto-approved at cap`, null, 'tasks.json')) };
}

/**
 * Takes an approval back: `verifyCommands` failed, and what they said is what is to be mended. Done again after a crash it
 * writes the same once more: it begins with the harness's own copy.
 */
export async function sendBack(setting: StepSetting, given: Given<'send-back'>): Promise<Gave<'send-back'>> {
  const { folder, copies, tree } = setting;
  const { stories, skipReview } = given;
  const tasks = knownTasks(copies.text(given.tasks));
  const userStories = tasks.userStories.map((story) =>
    stories.includes(story.id) ? withoutApproval(story, given) : story,
  );
  const text = `${JSON.stringify({ ...tasks, userStories }, null, 2)}\n`;
  await tree.write(join(folder, 'tasks.json'), text);
  const what = skipReview ? 'does not pass' : 'changes requested';
  const message = `review: ${stories.join(', ')} - ${what}, verifyCommands failed`;
  const done = await committed(setting, message, null, 'tasks.json');
  return { tasks: copies.keep(text), complete: userStories.filter(({ passes }) => passes).length, ...done };
}

/** `reviewCount` stands: the review has been. Without reviews there is nothing but `passes`. */
function withoutApproval(story: Story, { feedback, skipReview }: Given<'send-back'>): Story {
  if (skipReview) return { ...story, passes: false };
  const said = story.reviewFeedback.replace(CAP_PREFIX, '').trim();
  return {
    ...story,
    passes: false,
    reviewStatus: 'changes_requested',
    reviewFeedback: said === '' ? feedback : `${feedback}\n\nThe review itself said:\n${said}`,
  };
}

async function committed(
  { tree, ralphDir }: StepSetting,
  message: string,
  head: string | null,
  ...names: readonly string[]
): Promise<Committed> {
  const paths = names.map((name) => `${ralphDir}/${name}`);
  return ownCommit(tree, message, await trackedAmong(paths, head, tree));
}

/** Done again after a crash it finds its work done, and keeps what it kept. */
async function putBackOne(setting: StepSetting, name: string, was: CopyName, key: string): Promise<string[]> {
  const { folder, loop, copies, tree } = setting;
  const path = join(folder, name);
  const kept = join(loop, 'put-back', `${key.replaceAll('/', '-')}-${name}`);
  const now = readPlainBytes(path, LARGEST_PRD);
  if (now !== null) {
    if (nameOf(now) === was) return existsSync(kept) ? [kept] : [];
    makePrivateFolder(join(loop, 'put-back'));
    writeProjection(kept, now);
  } else if (was === null && lstatSync(path, { throwIfNoEntry: false }) === undefined) return [];
  await tree.write(path, copies.read(was));
  return now === null ? [] : [kept];
}
