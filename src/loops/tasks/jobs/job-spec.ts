/** What is asked for when a job is asked for. */

import { realpathSync } from 'node:fs';
import { errnoOf, RalphError } from '../../../core/error.ts';
import { reasonOf } from '../../../core/system-fault.ts';
import { checkRunId } from '../../../core/text/task-ids.ts';
import { writeFile } from '../../../process/files.ts';
import type { SandboxRequest } from '../../../runners/sandbox/request.ts';
import { taskFile, taskPlace } from '../folder/task-folder.ts';
import { TASK_DEFAULTS, type TaskRequest } from '../rules.ts';
import { makeFolder } from '../runs/run-folder.ts';
import type { SettledTask } from '../sandbox.ts';

export interface JobWish {
  readonly root: string;
  readonly project: string;
  readonly task: string;
  readonly agent: string;
  readonly flags: readonly string[];
  readonly prompt: string;
  readonly cwd: string;
  readonly parentRunId: string | null;
  readonly previousRunId: string | null;
  readonly idleTimeoutMs: number | null;
  readonly totalTimeoutMs: number | null;
  readonly graceMs: number;
  /** Null where nothing was said about it. */
  readonly sandbox: SandboxRequest | null;
}

/** Refuses names that would lead elsewhere; the task's folder is there afterwards. */
export function taskRequestOf(wish: JobWish, settled: SettledTask): TaskRequest {
  const { root, project, task, prompt } = wish;
  const asked = taskPlace(root, project, task).folder;
  makeFolder(asked);
  const folder = realpathSync(asked);
  keepPrompt(folder, prompt);
  return jobIn({ folder, project, task, cwd: wish.cwd, ...settled }, wish);
}

/** Where a job is done, and in what: not a matter of what is wished. */
export type JobPlace = Pick<
  TaskRequest,
  'folder' | 'project' | 'task' | 'cwd' | 'sandbox' | 'noSandbox' | 'parentLoop'
>;

/** Of a wish only what is named here: it may have been written by an agent. */
export function jobIn(place: JobPlace, wish: JobWish): TaskRequest {
  const { agent, flags, prompt, parentRunId, previousRunId, idleTimeoutMs, totalTimeoutMs, graceMs } = wish;
  for (const id of [parentRunId, previousRunId]) if (id !== null) checkRunId(id);
  return {
    ...TASK_DEFAULTS,
    agent,
    flags,
    prompt,
    parentRunId,
    previousRunId,
    idleTimeoutMs,
    totalTimeoutMs,
    graceMs,
    ...place,
    kind: 'job',
    bus: taskFile.bus(place.folder),
    isResumed: false,
    runId: null,
    maxRestarts: 1,
    restartDelayMs: 0,
    dependsOn: [],
  };
}

/** The first prompt of a task is its TASK.md. False where there is one already. */
export function keepPrompt(folder: string, prompt: string): boolean {
  const path = taskFile.prompt(folder);
  try {
    writeFile(path, `${prompt.trim()}\n`, { flag: 'wx', mode: 0o644 });
    return true;
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false;
    throw new RalphError('TASK_MD', `cannot write ${path}: ${reasonOf(error)}`, { exitCode: 2 });
  }
}
