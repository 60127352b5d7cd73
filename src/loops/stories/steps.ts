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
import { isoSeconds, writeMessage } from './files/messages.ts';
import { approve, putBack, putPromptBack, sendBack } from './files/put-back.ts';
import { repositoryWith, type WorkTree } from './files/work-tree.ts';
import type { LoopMarker } from './list/active-marker.ts';
import { snapshotOf } from './list/snapshot.ts';
import { knownTasks } from './list/tasks.ts';
import type { StoriesProject } from './project.ts';
import { isSandboxed, type StoriesRequest } from './request.ts';
import type { Given, Marked, Spoilt, StoriesSteps } from './step-payloads.ts';

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
    judge: (given) => judgeRun(setting, given).catch(endedByCopies),
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
