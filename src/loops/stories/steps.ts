/** The steps of a stories loop on this machine: marking an iteration, judging it, putting back, approving, telling. */
import { join } from 'node:path';
import { RalphError } from '../../core/error.ts';
import type { StepPerformers } from '../../engine/perform.ts';
import type { MachineIdentity } from '../../process/identity/identity.ts';
import { headCommit } from '../../scm/git.ts';
import { writeMarker } from './files/active-file.ts';
import type { Copies } from './files/copies.ts';
import { codeSeenIn } from './files/fingerprint.ts';
import { judgeRun } from './files/judge-run.ts';
import { tell } from './files/messages.ts';
import { ownCommit, trackedAmong } from './files/own-commit.ts';
import { putBack, putPromptBack } from './files/put-back.ts';
import { sendBack } from './files/send-back.ts';
import { repositoryWith, type WorkTree } from './files/work-tree.ts';
import type { LoopMarker } from './list/active-marker.ts';
import { snapshotOf } from './list/snapshot.ts';
import { readTasks } from './list/tasks.ts';
import { isSandboxed, type StoriesRequest } from './request.ts';
import type { ApproveGiven, Marked, MarkGiven, PutBack, Spoilt, StoriesSteps } from './step-payloads.ts';

export interface StepSetting {
  /** The folder with the list, and how it is called from the work tree's. */
  readonly folder: string;
  readonly ralphDir: string;
  /** The loop's own folder. */
  readonly loop: string;
  readonly request: StoriesRequest;
  readonly copies: Copies;
  readonly tree: WorkTree;
  readonly place: MachineIdentity;
  /** Makes the plugin ready where the agent runs; before every iteration, since an agent may have spoilt it there. */
  readonly loadPlugin: () => Promise<unknown>;
}

export function storiesSteps(setting: StepSetting): StepPerformers<StoriesSteps> {
  return {
    mark: (given) => mark(setting, given).catch(endedByCopies),
    judge: (given) => judgeRun(setting, given).catch(endedByCopies),
    'prompt-back': (given, { key }) => putPromptBack(setting, given, key).catch(endedByCopies),
    'put-back': (given, { key }) => putBack(setting, given, key).catch(endedByCopies),
    approve: (given) => approve(setting, given).catch(endedByCopies),
    'send-back': (given) => sendBack(setting, given).catch(endedByCopies),
    async tell(given) {
      tell(setting.tree.cwd, setting.folder, given);
      return null;
    },
  };
}

/** Without what an iteration began with nothing can be judged: that is an ending, not a crash. */
function endedByCopies(error: unknown): Spoilt {
  if (error instanceof RalphError && error.code === 'COPY_CHANGED') return { spoilt: error.message };
  throw error;
}

async function mark(setting: StepSetting, given: MarkGiven): Promise<Marked> {
  const { tree, folder, ralphDir, copies, place } = setting;
  const { iteration, mode, story, tasks, stuckCount } = given;
  const read = readTasks(copies.text(tasks));
  if (!read.isValid) throw new Error('an iteration began with a list that is none');
  await setting.loadPlugin();
  await tree.carryIn(['tasks.json', 'prd.md', 'prompt.md'].map((name) => join(folder, name)));
  await writeMarker(tree, place, {
    ...loopMarker(setting),
    iteration,
    iterationMode: mode,
    stuckCount,
    story,
    preIterationSnapshot: snapshotOf(read.tasks),
    verifyCommands: read.tasks.verifyCommands ?? null,
  });
  const code = await codeSeenIn(mode, tree, ralphDir);
  const head = await headCommit(tree.git);
  return { head, code, repository: await repositoryWith(head, tree) };
}

/** Says that nobody is judged now, and still who turns the loop. */
export async function markPaused(setting: StepSetting): Promise<void> {
  await writeMarker(setting.tree, setting.place, { ...loopMarker(setting), paused: true });
}

function loopMarker({ ralphDir, request }: StepSetting): Omit<LoopMarker, 'pid' | 'process'> {
  const { maxIterations, skipReview, reviewCap } = request;
  const timestamp = new Date().toISOString().replace(/\.\d+Z$/, 'Z');
  const mode = isSandboxed(request) ? 'sandbox' : 'direct';
  return { timestamp, maxIterations, mode, skipReview, reviewCap, ralphDir };
}

/** The last review asked for changes, or left something to say: the story passes all the same, and says so. */
async function approve(setting: StepSetting, { story, approved }: ApproveGiven): Promise<PutBack> {
  const { folder, copies, tree, ralphDir } = setting;
  await tree.write(join(folder, 'tasks.json'), copies.read(approved));
  const paths = await trackedAmong([`${ralphDir}/tasks.json`], null, tree);
  const { commit, problem } = await ownCommit({
    tree,
    paths,
    message: `review: ${story} - auto-approved at cap`,
  });
  return { kept: [], commit, problem };
}
