/**
 * The steps of a stories loop on this machine. If they restore the list, the PRD or the prompt, they commit only these
 * files, and only if git tracks them. The agent's versions are kept for people to read.
 */
import { existsSync, lstatSync } from 'node:fs';
import { join } from 'node:path';
import { RalphError } from '../../core/error.ts';
import type { ProofSteps } from '../../core/proof/proof.ts';
import type { StepPerformers } from '../../engine/performers/perform.ts';
import { readPlainBytes } from '../../process/files.ts';
import { ownIdentity, thisMachine } from '../../process/identity/identity.ts';
import { headCommit } from '../../scm/git.ts';
import { makePrivateFolder } from '../../state/folders.ts';
import { isoSeconds, writeProjection } from '../../state/projection.ts';
import { type Copies, nameOf } from './files/copies.ts';
import { writeMessage } from './files/messages.ts';
import { codeSeenIn, LARGEST_PRD, ownCommit, repositoryWith, trackedAmong, type WorkTree } from './files/work-tree.ts';
import { type LoopMarker, MARKER_NAME, type Marker, markerText } from './list/active-file.ts';
import { CAP_PREFIX } from './list/allowed-changes.ts';
import { judgeIteration, type Verdict } from './list/judge.ts';
import { isComplete } from './list/mode.ts';
import { knownTasks, readTasks, type Story, snapshotOf } from './list/tasks.ts';
import type { StoriesProject } from './project.ts';
import { isSandboxed, type StoriesRequest } from './request.ts';
import type { CopyName, Gave, Given, KeptVerdict, Spoilt, StoriesSteps } from './state.ts';

export interface StepSetting extends Omit<StoriesProject, 'cwd'> {
  readonly loop: string;
  readonly request: StoriesRequest;
  readonly copies: Copies;
  readonly tree: WorkTree;
  /** Loads the plugin where the agent runs: before every iteration, because an agent may have damaged it there. */
  readonly loadPlugin: () => Promise<unknown>;
}

export function storiesSteps(setting: StepSetting): StepPerformers<Omit<StoriesSteps, keyof ProofSteps>> {
  const step =
    <Gives extends object, Gets>(perform: (setting: StepSetting, given: Gives, key: string) => Promise<Gets>) =>
    (given: Gives, { key }: { readonly key: string }): Promise<Gets | Spoilt> =>
      perform(setting, given, key).catch((error: unknown) => {
        // Without the files that the iteration began with, nothing can be judged: that ends the loop, but is no crash.
        if (error instanceof RalphError && error.code === 'COPY_CHANGED') return { spoilt: error.message };
        throw error;
      });
  return {
    mark: step(mark),
    judge: step(judge),
    'prompt-back': step((at, { prompt, head }: Given<'prompt-back'>, key) => {
      const message = 'chore(ralph): restore prompt.md — the iteration changed it';
      return putFilesBack(at, { 'prompt.md': prompt }, { key, message, head });
    }),
    'put-back': step(putBack),
    approve: step(approve),
    'send-back': step(sendBack),
    async tell(given) {
      writeMessage(setting.tree.cwd, setting.folder, given);
      return null;
    },
  };
}

async function mark(setting: StepSetting, given: Given<'mark'>): Promise<Gave<'mark'>> {
  const { tree, folder, ralphDir, copies } = setting;
  const { tasks, mode: iterationMode, ...iteration } = given;
  const list = knownTasks(copies.text(tasks));
  await setting.loadPlugin();
  await tree.carryIn(['tasks.json', 'prd.md', 'prompt.md'].map((name) => join(folder, name)));
  const before = { preIterationSnapshot: snapshotOf(list), verifyCommands: list.verifyCommands ?? null };
  await writeMarker(setting, { ...iteration, iterationMode, ...before });
  const code = await codeSeenIn(iterationMode, tree, ralphDir);
  const head = await headCommit(tree.git);
  return { head, code, repository: await repositoryWith(head, tree.git) };
}

/** `paused`: nothing is judged now, but the file still names the process that runs the loop. */
export async function writeMarker(
  { tree, ralphDir, request }: StepSetting,
  now: Omit<Marker, keyof LoopMarker> | { readonly paused: true },
): Promise<void> {
  const { pid, startTime, boot } = ownIdentity();
  const { maxIterations, skipReview, reviewCap } = request;
  const mode = isSandboxed(request) ? 'sandbox' : 'direct';
  const process = { startTime, boot, pidNamespace: thisMachine().pidNamespace };
  const loop = { pid, maxIterations, mode, skipReview, reviewCap, ralphDir, process } as const;
  await tree.write(join(tree.cwd, MARKER_NAME), markerText({ timestamp: isoSeconds(Date.now()), ...loop, ...now }));
}

/** Repeats the Stop hook's checks, compared with copies that the agent cannot change by mistake. */
async function judge(setting: StepSetting, given: Given<'judge'>): Promise<Gave<'judge'>> {
  const { folder, copies, tree, ralphDir } = setting;
  const list = readPlainBytes(join(folder, 'tasks.json'));
  return {
    ...judgedList(list, given, copies),
    prd: copies.keep(readPlainBytes(join(folder, 'prd.md'), LARGEST_PRD)),
    prompt: copies.keep(readPlainBytes(join(folder, 'prompt.md'))),
    head: await headCommit(tree.git),
    code: await codeSeenIn(given.mode, tree, ralphDir),
    repository: await repositoryWith(given.head, tree.git),
  };
}

export function judgedList(list: Buffer | null, given: Given<'judge'>, copies: Copies) {
  const text = list?.toString('utf8') ?? null;
  const before = knownTasks(copies.text(given.tasks));
  // A map has no inherited keys: a story may be called `constructor`.
  const reviews = new Map(Object.entries(given.reviews));
  const verdict = judgeIteration(before, text, { ...given, story: given.story.id, reviews });
  const after = readTasks(text);
  // An illegal list is undone, so its stories do not count.
  const isKept = after.isValid && verdict.kind !== 'illegal';
  const stories = (isKept ? after.tasks : before).userStories;
  return {
    tasks: copies.keep(list),
    verdict: kept(verdict, copies, given),
    complete: stories.filter(({ passes }) => passes).length,
    total: stories.length,
  };
}

function kept(verdict: Verdict, copies: Copies, { skipReview }: Given<'judge'>): KeptVerdict {
  if (verdict.kind === 'legal') return { kind: 'legal', ...verdict.changes };
  if (verdict.kind !== 'at-cap') return verdict;
  const { kind, story, wasApproved, changes } = verdict;
  const approved = copies.keep(`${JSON.stringify(verdict.approved, null, 2)}\n`) ?? '';
  const isDone = isComplete(verdict.approved, { skipReview });
  return { kind, story, wasApproved, approved, isComplete: isDone, countBefore: changes.countBefore };
}

const MESSAGES: Readonly<Record<Given<'put-back'>['why'], string>> = {
  tampered: 'the iteration made changes that it may not make',
  failed: 'the iteration failed',
  interrupted: 'the iteration was cut off',
  'no-fix': 'the review-fix changed no code',
  uncounted: 'the iteration does not count',
  between: 'it was changed between two iterations',
};

export async function putBack(setting: StepSetting, given: Given<'put-back'>, key: string): Promise<Gave<'put-back'>> {
  const message = `chore(ralph): restore the story list — ${MESSAGES[given.why]}`;
  return putFilesBack(setting, { 'tasks.json': given.tasks, 'prd.md': given.prd }, { key, message, head: given.head });
}

type Putting = { readonly key: string; readonly message: string; readonly head: string | null };

async function putFilesBack(setting: StepSetting, files: Record<string, CopyName>, { key, message, head }: Putting) {
  const kept: string[] = [];
  for (const [name, was] of Object.entries(files)) kept.push(...(await putBackOne(setting, name, was, key)));
  return { kept, ...(await committed(setting, message, head, ...Object.keys(files))) };
}

/** Approves a story whose last review, at the cap, asked for changes or left feedback; the story's feedback says so. */
async function approve(setting: StepSetting, { story, approved }: Given<'approve'>): Promise<Gave<'put-back'>> {
  await setting.tree.write(join(setting.folder, 'tasks.json'), setting.copies.read(approved));
  return { kept: [], ...(await committed(setting, `review: ${story} - auto-approved at cap`, null, 'tasks.json')) };
}

/** Revokes an approval. Repeated after a crash, it writes the same again, because it begins with the harness's copy. */
async function sendBack(setting: StepSetting, given: Given<'send-back'>): Promise<Gave<'send-back'>> {
  const { folder, copies, tree } = setting;
  const { stories, skipReview, isProof } = given;
  const tasks = knownTasks(copies.text(given.tasks));
  const sentBack = (story: Story): Story => (stories.includes(story.id) ? withoutApproval(story, given) : story);
  const userStories = tasks.userStories.map(sentBack);
  const text = `${JSON.stringify({ ...tasks, userStories }, null, 2)}\n`;
  await tree.write(join(folder, 'tasks.json'), text);
  const what = skipReview ? 'does not pass' : 'changes requested';
  const message = `review: ${stories.join(', ')} - ${what}, ${isProof === true ? 'the proof' : 'verifyCommands'} failed`;
  const done = await committed(setting, message, null, 'tasks.json');
  return { tasks: copies.keep(text), complete: userStories.filter(({ passes }) => passes).length, ...done };
}

/** `reviewCount` is kept, since the review took place. Without reviews, only `passes` changes. */
function withoutApproval(story: Story, { feedback, skipReview }: Given<'send-back'>): Story {
  if (skipReview) return { ...story, passes: false };
  const said = story.reviewFeedback.replace(CAP_PREFIX, '').trim();
  const reviewFeedback = said === '' ? feedback : `${feedback}\n\nThe review itself said:\n${said}`;
  return { ...story, passes: false, reviewStatus: 'changes_requested', reviewFeedback };
}

async function committed({ tree, ralphDir }: StepSetting, message: string, head: string | null, ...names: string[]) {
  const paths = names.map((name) => `${ralphDir}/${name}`);
  return ownCommit(tree, message, await trackedAmong(paths, head, tree));
}

/** Repeated after a crash, it finds the file already restored, and returns what it kept the first time. */
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
