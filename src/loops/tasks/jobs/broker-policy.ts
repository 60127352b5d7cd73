/** On which terms a supervisor does what an agent asks for: a sandboxed one gets nothing that it could not do itself. */
import { realpathSync } from 'node:fs';
import { dirname } from 'node:path';
import { appendMessage } from '../../../bus/append.ts';
import type { Environment } from '../../../config/environment.ts';
import { RalphError } from '../../../core/error.ts';
import { isUnder } from '../../../runners/sandbox/policy.ts';
import type { SandboxRequest } from '../../../runners/sandbox/request.ts';
import { projectBus, taskPlace } from '../folder/task-folder.ts';
import { checkWorkFolder } from '../folder/work-folder.ts';
import { isSandboxed, type TaskRequest } from '../rules.ts';
import { settledTaskSandbox } from '../sandbox.ts';
import type { PostWish } from './broker-files.ts';
import { type JobWish, jobIn, taskRequestOf } from './job-spec.ts';

export interface Terms {
  /** The loop's own folder. */
  readonly loop: string;
  /** What the loop was started with. */
  readonly request: TaskRequest;
  readonly environment: Environment;
}

/** The child's request; its task's folder is there afterwards. */
export async function jobFor({ request, loop, environment }: Terms, wish: JobWish): Promise<TaskRequest> {
  const place = taskPlace(wish.root, wish.project, wish.task);
  checkWorkFolder(wish.cwd);
  const { sandbox, folder, project, task } = request;
  if (sandbox === undefined || !isSandboxed(request)) {
    const settled = await settledTaskSandbox(wish.sandbox ?? null, { ...wish, folder: place.folder }, environment);
    return taskRequestOf(wish, settled);
  }
  if (isOther(wish.sandbox ?? null, sandbox)) {
    throw refused(
      'a job of a sandboxed run runs in the same sandbox, and in no other',
      'Leave out --sandbox, --no-sandbox and the flags that go with them.',
    );
  }
  if (realOf(place.folder) !== folder) {
    throw refused('a run in a sandbox starts jobs of its own task only', 'Leave out --root, --project and --task.');
  }
  const [own, cwd] = [realpathSync(request.cwd), realpathSync(wish.cwd)];
  if (!isUnder(cwd, own) && !isUnder(cwd, folder)) {
    throw refused(`a run in a sandbox starts jobs in its own work tree only: ${own}`, 'Leave out --cwd.');
  }
  // What the agent named may be a link, and lead elsewhere by now: from here on only what we know ourselves counts.
  return jobIn({ folder, project, task, cwd, sandbox, parentLoop: loop }, wish);
}

/** What was looked at when a job was ordered is what its supervisor finds: an agent could have put a link there since. */
export function refuseLinks({ folder, cwd, parentLoop }: TaskRequest): void {
  const moved = [folder, ...(parentLoop === undefined ? [] : [cwd])].find((path) => realOf(path) !== path);
  if (moved === undefined) return;
  throw refused(`${moved} has become a link, or is gone`, 'A sandbox needs the folder itself.');
}

/** On the bus of the project, which no sandboxed agent may write itself: other tasks lie beside it. */
export async function postForAgent({ folder, project }: TaskRequest, { post }: PostWish): Promise<string> {
  const { type, body, taskId, runId } = post;
  const texts = [type, body, taskId ?? '', runId ?? ''];
  if (texts.some((text) => typeof text !== 'string')) throw refused('a message is made of texts');
  const ids = { ...(taskId === undefined ? {} : { taskId }), ...(runId === undefined ? {} : { runId }) };
  const { msgId } = await appendMessage(projectBus(dirname(folder)), { type, projectId: project, ...ids, body });
  return msgId;
}

/** The same by its name is no other. */
function isOther(asked: SandboxRequest | null, own: SandboxRequest): boolean {
  if (asked === null) return false;
  const { kind, allowHosts, allowWrite, denyWrite, denyRead } = asked;
  return kind !== own.kind || [allowHosts, allowWrite, denyWrite, denyRead].some((list) => list.length > 0);
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // Not there: then it is not ours.
    return '';
  }
}

function refused(what: string, hint?: string): RalphError {
  return new RalphError('JOB', what, { ...(hint === undefined ? {} : { hint }), exitCode: 2 });
}
