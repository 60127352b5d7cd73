/** What a job is asked to do, and what it is allowed: a sandboxed agent gets nothing that it could not do itself. */
import { dirname } from 'node:path';
import { appendMessage } from '../../../bus/append.ts';
import type { Draft } from '../../../bus/message.ts';
import type { Environment } from '../../../config/environment.ts';
import { defined } from '../../../core/defined.ts';
import { errnoOf, RalphError } from '../../../core/error.ts';
import { reasonOf } from '../../../core/system-fault.ts';
import { checkRunId } from '../../../core/text/task-ids.ts';
import { realPath, realPathOr, writeFile } from '../../../process/files.ts';
import { isUnder } from '../../../runners/sandbox/policy.ts';
import type { SandboxRequest } from '../../../runners/sandbox/request.ts';
import { checkWorkFolder, makeFolder, projectBus, taskFile, taskPlace } from '../folder/task-folder.ts';
import { isSandboxed, NEW_TASK, type TaskRequest } from '../request.ts';
import { resolveTaskSandbox } from '../sandbox.ts';

type Asked = 'agent' | 'flags' | 'parentRunId' | 'previousRunId' | 'idleTimeoutMs' | 'totalTimeoutMs' | 'graceMs';

export interface JobSpec extends Pick<TaskRequest, 'project' | 'task' | 'cwd' | Asked> {
  readonly root: string;
  readonly prompt: string;
  /** Null if no flag was given. */
  readonly sandbox: SandboxRequest | null;
}

export interface Terms {
  readonly loop: string;
  readonly request: TaskRequest;
  readonly environment: Environment;
}

/** A job whose requester is not sandboxed. Creates the task's folder. */
export async function freeJob(spec: JobSpec, environment: Environment): Promise<TaskRequest> {
  const { root, project, task, cwd } = spec;
  const asked = taskPlace(root, project, task).folder;
  checkWorkFolder(cwd);
  const resolved = await resolveTaskSandbox(spec.sandbox ?? null, { ...spec, folder: asked }, environment);
  makeFolder(asked);
  const folder = realPath(asked);
  keepPrompt(folder, spec.prompt);
  return jobIn({ folder, project, task, cwd, ...resolved }, spec);
}

export async function jobFor({ request, loop, environment }: Terms, spec: JobSpec): Promise<TaskRequest> {
  const { sandbox, folder, project, task } = request;
  if (sandbox === undefined || !isSandboxed(request)) return freeJob(spec, environment);
  const asked = taskPlace(spec.root, spec.project, spec.task).folder;
  checkWorkFolder(spec.cwd);
  const { kind = sandbox.kind, allowHosts = [], allowWrite = [], denyWrite = [], denyRead = [] } = spec.sandbox ?? {};
  // Naming the same kind of sandbox is allowed.
  if (kind !== sandbox.kind || [...allowHosts, ...allowWrite, ...denyWrite, ...denyRead].length > 0) {
    const hint = 'Leave out --sandbox, --no-sandbox and the flags that go with them.';
    throw refused('a job of a sandboxed run runs in the same sandbox, and in no other', hint);
  }
  if (realPathOr(asked, '') !== folder) {
    throw refused('a run in a sandbox starts jobs of its own task only', 'Leave out --root, --project and --task.');
  }
  const [own, cwd] = [realPath(request.cwd), realPath(spec.cwd)];
  if (!isUnder(cwd, own) && !isUnder(cwd, folder)) {
    throw refused(`a run in a sandbox starts jobs in its own work tree only: ${own}`, 'Leave out --cwd.');
  }
  // The agent may have named a link that leads elsewhere by now: from here on, only use paths that we know ourselves.
  return jobIn({ folder, project, task, cwd, sandbox, parentLoop: loop }, spec);
}

type JobPlace = Pick<TaskRequest, 'folder' | 'project' | 'task' | 'cwd' | 'sandbox' | 'noSandbox' | 'parentLoop'>;

/** Only takes the fields named here from a spec, because an agent may have written it. */
function jobIn(place: JobPlace, spec: JobSpec): TaskRequest {
  for (const id of [spec.parentRunId, spec.previousRunId]) if (id !== null) checkRunId(id);
  const { agent, flags, prompt, parentRunId, previousRunId, idleTimeoutMs, totalTimeoutMs, graceMs } = spec;
  const asked = { agent, flags, prompt, parentRunId, previousRunId, idleTimeoutMs, totalTimeoutMs, graceMs };
  const once = { kind: 'job', maxRestarts: 1, restartDelayMs: 0 } as const;
  return { ...NEW_TASK, ...asked, ...place, ...once, bus: taskFile.bus(place.folder) };
}

/** Checks again, in the job's supervisor: an agent could have put links in these places since it asked for the job. */
export function refuseLinks({ folder, cwd, parentLoop }: TaskRequest): void {
  const moved = [folder, ...(parentLoop === undefined ? [] : [cwd])].find((path) => realPathOr(path, '') !== path);
  if (moved === undefined) return;
  throw refused(`${moved} has become a link, or is gone`, 'A sandbox needs the folder itself.');
}

/** Posts on the project's bus, which a sandboxed agent cannot write to: other tasks are in the same folder. */
export async function postForAgent({ folder, project }: TaskRequest, post: Draft): Promise<string> {
  const { type, body, taskId, runId } = post;
  const texts = [type, body, taskId ?? '', runId ?? ''];
  if (texts.some((text) => typeof text !== 'string')) throw refused('a message is made of texts');
  const draft = { type, projectId: project, ...defined({ taskId, runId }), body };
  return (await appendMessage(projectBus(dirname(folder)), draft)).msgId;
}

/** The first prompt of a task becomes its TASK.md, unless there is one already. */
export function keepPrompt(folder: string, prompt: string): void {
  const path = taskFile.prompt(folder);
  try {
    writeFile(path, `${prompt.trim()}\n`, { flag: 'wx', mode: 0o644 });
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return;
    throw new RalphError('TASK_MD', `cannot write ${path}: ${reasonOf(error)}`);
  }
}

function refused(what: string, hint?: string): RalphError {
  return new RalphError('JOB', what, defined({ hint }));
}
