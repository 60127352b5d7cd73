/** Puts the list and the PRD back as they were; what the agent made of them is kept for reading. */
import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFolder } from '../../../state/folders.ts';
import { readPlainBytes } from '../../../state/plain-file.ts';
import { writeProjection } from '../../../state/projection.ts';
import type { CopyName, PromptBackGiven, PutBack, PutBackGiven } from '../step-payloads.ts';
import type { StepSetting } from '../steps.ts';
import { nameOf } from './copies.ts';
import { type Committed, ownCommit, trackedAmong } from './own-commit.ts';
import { LARGEST_PRD } from './project-file.ts';

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
  return { kept, ...(await committed(setting, ['tasks.json', 'prd.md'], given.head, message)) };
}

export async function putPromptBack(setting: StepSetting, given: PromptBackGiven, key: string): Promise<PutBack> {
  const kept = await putBackOne(setting, 'prompt.md', given.prompt, key);
  const message = 'chore(ralph): put prompt.md back — the iteration changed it';
  return { kept, ...(await committed(setting, ['prompt.md'], given.head, message)) };
}

async function committed(
  { tree, ralphDir }: StepSetting,
  names: readonly string[],
  head: string | null,
  message: string,
): Promise<Committed> {
  const paths = names.map((name) => `${ralphDir}/${name}`);
  return ownCommit({ tree, message, paths: await trackedAmong(paths, head, tree) });
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
