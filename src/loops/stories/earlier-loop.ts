/**
 * What a loop that was killed in the middle of an iteration left in the list is nobody's verdict: whoever starts anew
 * instead of resuming gets the list as it was before that iteration.
 */
import { loopFolder, type StateRoot } from '../../state/paths.ts';
import { readPlain, readPlainBytes } from '../../state/plain-file.ts';
import { nameOf } from './files/copies.ts';
import { LARGEST_PRD } from './files/project-file.ts';
import { putBack } from './files/put-back.ts';
import { dataIn, newestStories } from './find-loop.ts';
import { readTasks } from './list/tasks.ts';
import type { StoriesRequest } from './request.ts';
import type { StepSetting } from './steps.ts';

type SettingOf = (loop: string, request: StoriesRequest) => StepSetting;

/** Gives the lines to say about it. The caller holds the lock of the work tree. */
export async function putBackOfEarlier(
  cwd: string,
  current: string,
  settingOf: SettingOf,
  root: StateRoot,
): Promise<string[]> {
  const earlier = newestStories(root, cwd, current);
  if (earlier === null || earlier.ending !== null) return [];
  const folder = loopFolder(root, earlier.id);
  const data = dataIn(folder);
  if (data === null) return ['The records of an earlier loop cannot be read; nothing is put back.'];
  if (data.running === null) return [];
  const { tasks, prd, head } = data.running;
  const setting = settingOf(folder, data.request);
  const name = (file: string): string | null => {
    const content = readPlainBytes(`${setting.folder}/${file}`, LARGEST_PRD);
    return content === null ? null : nameOf(content);
  };
  if (name('tasks.json') === tasks && name('prd.md') === prd) return [];
  if (!isSamePlan(setting.copies.text(tasks), readPlain(`${setting.folder}/tasks.json`)))
    return ['An earlier loop was cut off in the middle of an iteration, with another list; nothing is put back.'];
  const given = { why: 'interrupted', tasks, prd, head } as const;
  const { kept } = await putBack(setting, given, 'left');
  return [
    'An earlier loop was cut off in the middle of an iteration; the story list is put back as it was before it.',
    ...kept.map((path) => `What was there is kept in ${path}`),
  ];
}

/** What holds other stories, or another project's, is a plan that a person has made since; what is no list is none. */
function isSamePlan(before: string | null, now: string | null): boolean {
  const [was, is] = [readTasks(before), readTasks(now)];
  if (!was.isValid || !is.isValid) return true;
  const ids = new Set(is.tasks.userStories.map(({ id }) => id));
  return was.tasks.project === is.tasks.project && was.tasks.userStories.every(({ id }) => ids.has(id));
}
