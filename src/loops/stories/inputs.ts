/** Reads the inputs of an iteration: the prompt, the story list with the next story to work on, the PRD. */
import { accessSync, constants, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { jsonError } from '../../config/json-error.ts';
import { RalphError } from '../../core/error.ts';
import type { Result } from '../../core/record.ts';
import { digestOf } from '../../core/text/digest.ts';
import { isFields, parsedJson } from '../../core/text/json.ts';
import { linesOf } from '../../core/text/lines-of.ts';
import { quoteWord } from '../../core/text/quote-word.ts';
import { readPlain, readPlainBytes, whyUnread } from '../../process/files.ts';
import type { Copies } from './files/copies.ts';
import { LARGEST_PRD } from './files/work-tree.ts';
import { integrityProblems, judgeIteration } from './list/judge.ts';
import { chooseMode, isComplete } from './list/mode.ts';
import { knownTasks, newlyPassing, readTasks, snapshotOf, type TasksFile } from './list/tasks.ts';
import { planningCommand, type StoriesProject } from './project.ts';
import type { StoriesRequest } from './request.ts';
import type { InputsGiven, ListState, SeenFiles, StoriesInputs } from './state.ts';
import type { StepSetting } from './steps.ts';

type ListRequest = Pick<StoriesRequest, 'ralphDir' | 'skipReview' | 'reviewCap'>;

export function storiesReader({ folder, request, copies }: StepSetting, pluginDir: string | null) {
  // In the records of a resumed loop, keys in the inputs may be masked, so the first reading always returns them whole.
  let isFirst = true;
  return (known: string | null, { last, beforePause, setAside }: InputsGiven): Extract<Result, { kind: 'inputs' }> => {
    const prompt = readPlainBytes(join(folder, 'prompt.md'));
    if (prompt === null) throw unread(folder, request.ralphDir, 'prompt.md');
    const list = readPlainBytes(join(folder, 'tasks.json'));
    const prd = readPlainBytes(join(folder, 'prd.md'), LARGEST_PRD);
    // If an agent replaces these files, they are restored. Before the first reading, no agent was here: it is an error.
    if (last === null) {
      if (list === null && isThere(join(folder, 'tasks.json'))) throw unread(folder, request.ralphDir, 'tasks.json');
      if (prd === null && isThere(join(folder, 'prd.md'))) throw unread(folder, request.ralphDir, 'prd.md');
      // If the list cannot be written, an agent would be paid for nothing.
      accessSync(join(folder, 'tasks.json'), constants.W_OK);
    }
    const text = list?.toString('utf8') ?? null;
    const now = { tasks: copies.keep(list), prd: copies.keep(prd) };
    const inputs: StoriesInputs = {
      prompt: prompt.toString('utf8'),
      promptCopy: copies.keep(prompt),
      ...now,
      between: changedBetween(last, now, request, copies),
      inPause: changedInPause(beforePause, now, copies),
      list: listState(text, request, setAside),
      pluginDir,
      verifyCommands: verifyCommandsIn(text),
    };
    const digest = digestOf(JSON.stringify(inputs));
    const isKnown = digest === known && !isFirst;
    isFirst = false;
    return { kind: 'inputs', digest, ...(isKnown ? {} : { inputs }) };
  };
}

/**
 * Between iterations, the files may change as an implementation may change them. Anything else requires a pause,
 * because a process that an agent left running could be the one that makes the change.
 */
function changedBetween(last: SeenFiles | null, now: SeenFiles, request: ListRequest, copies: Copies) {
  if (last === null || (last.tasks === now.tasks && last.prd === now.prd)) return null;
  const advice = 'Only a person who has paused the loop may do that (ralph stories pause).';
  if (last.prd !== now.prd) return { ...last, reason: `prd.md was changed between two iterations. ${advice}` };
  const before = readTasks(copies.text(last.tasks));
  if (!before.isValid) return null;
  const verdict = judgeIteration(before.tasks, copies.text(now.tasks), { ...request, mode: 'implement', story: null });
  if (verdict.kind !== 'illegal') return null;
  return { ...last, reason: `tasks.json was changed between two iterations. ${advice}\n${verdict.reason}` };
}

/** A person may approve stories in a pause. A program could pause the loop and do the same, so changes are reported. */
function changedInPause(before: SeenFiles | null, now: SeenFiles, copies: Copies): string[] {
  if (before === null) return [];
  const [was, is] = [readTasks(copies.text(before.tasks)), readTasks(copies.text(now.tasks))];
  const approved = is.isValid ? newlyPassing(was.isValid ? snapshotOf(was.tasks) : new Map(), is.tasks) : [];
  return linesOf(...approved.map((id) => `story ${id} was approved`), before.prd !== now.prd && 'prd.md was changed');
}

export function verifyCommandsIn(text: string | null): readonly string[] {
  const read = readTasks(text);
  return read.isValid ? (read.tasks.verifyCommands ?? []).filter((command) => command.trim() !== '') : [];
}

export function wholeInputs(inputs: StoriesInputs, copies: Copies): StoriesInputs {
  const prompt = copies.text(inputs.promptCopy) ?? inputs.prompt;
  return { ...inputs, prompt, verifyCommands: verifyCommandsIn(copies.text(inputs.tasks)) };
}

/** Refuses to begin a loop in a project with mistakes, before anything is created. */
export function refuseUnready(project: StoriesProject, request: ListRequest, pluginDir: string | null): TasksFile {
  const { folder, ralphDir } = project;
  const text = readPlain(join(folder, 'tasks.json'));
  if (text === null) throw unread(folder, ralphDir, 'tasks.json');
  if (readPlain(join(folder, 'prompt.md')) === null) throw unread(folder, ralphDir, 'prompt.md');
  const prd = lstatSync(join(folder, 'prd.md'), { throwIfNoEntry: false });
  if (prd?.isFile() && prd.size > LARGEST_PRD)
    throw new RalphError('STORIES_FILE', `${ralphDir}/prd.md is larger than ${LARGEST_PRD} bytes`);
  const list = listState(text, request);
  if (list.is !== 'invalid') return knownTasks(text);
  const { reason, hint = `Fill it in by hand, or plan it with: ${planningCommand(pluginDir)}` } = list;
  // The JSON error names the line.
  const broken = text === null ? null : jsonError(text, `${ralphDir}/tasks.json`);
  throw new RalphError('TASKS_FILE', broken ?? reason, { hint });
}

/** `setAside`: stories that no agent works on any more. */
export function listState(text: string | null, request: ListRequest, setAside: readonly string[] = []): ListState {
  const { ralphDir, skipReview, reviewCap } = request;
  const path = `${ralphDir}/tasks.json`;
  const read = readTasks(text, path);
  if (!read.isValid && text !== null) {
    const [broken] = jsonError(text, path)?.split('\n') ?? [];
    if (broken !== undefined) return { is: 'invalid', reason: broken, hint: `Fix ${path}.` };
  }
  if (!read.isValid) return { is: 'invalid', reason: `${path} ${invalidReason(text, read.problems)}` };
  const { tasks } = read;
  // Otherwise every iteration would be blamed for a problem that was already there.
  const untrue = skipReview ? [] : integrityProblems(tasks, reviewCap, snapshotOf(tasks));
  const reason = `${path} does not agree with its reviews: ${firstOf(untrue)}`;
  if (untrue.length > 0) return { is: 'invalid', reason, hint: DISAGREEMENT_HINT };
  if (isComplete(tasks, { skipReview })) return { is: 'complete' };
  const { mode, story } = chooseMode(tasks, { skipReview, setAside });
  if (story === null) return { is: 'waiting', reason: waitingReason(tasks, ralphDir) };
  const { id, title, reviewCount } = story;
  return { is: 'open', mode, story: { id, title, reviewCount } };
}

const DISAGREEMENT_HINT =
  'Fix it by hand: to have a story reviewed, "passes": false and "reviewStatus": "needs_review"; to have it done again, false and null. Or continue without reviews: ralph stories run --skip-review';

function firstOf([first = '', ...more]: readonly string[]): string {
  return more.length === 0 ? first : `${first} (and ${more.length} more)`;
}

function invalidReason(text: string | null, problems: readonly string[]): string {
  if (text !== null && isTemplate(text)) return 'is still the template: no story is planned in it yet';
  return `is not a task list: ${firstOf(problems)}`;
}

/** As `ralph stories init` wrote it: all stories are blank. */
export function isTemplate(text: string): boolean {
  const list = parsedJson(text);
  const stories: unknown[] = isFields(list) && Array.isArray(list.userStories) ? list.userStories : [];
  const isBlank = (story: unknown): boolean => {
    const { title, description, acceptanceCriteria: criteria } = isFields(story) ? story : {};
    return title === '' && description === '' && Array.isArray(criteria) && criteria.length === 0;
  };
  return stories.length > 0 && stories.every(isBlank);
}

export function waitingReason({ userStories }: TasksFile, ralphDir: string): string {
  if (userStories.length === 0) return `${ralphDir}/tasks.json has no stories`;
  const open = userStories.filter(({ passes }) => !passes);
  const waits = open.map(({ id, dependsOn = [] }) => `${id} (dependsOn ${dependsOn.join(', ') || 'nothing'})`);
  return `no story is ready: ${waits.join('; ')} in ${ralphDir}/tasks.json`;
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function unread(folder: string, ralphDir: string, name: string): RalphError {
  const path = join(folder, name);
  const file = `${ralphDir}/${name}`;
  const inFolder = ralphDir === 'ralph' ? '' : ` --ralph-dir ${quoteWord(ralphDir)}`;
  const [what, hint] = isThere(path)
    ? [`cannot read ${file}: ${whyUnread(path)}`, `Put a file there that you can read: ${path}`]
    : [`${file} not found`, `Prepare the project first: ralph stories init${inFolder}`];
  return new RalphError('STORIES_FILE', what, { hint });
}
