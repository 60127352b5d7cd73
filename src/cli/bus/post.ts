/** `ralph bus post`: puts a message on a bus. */
import { fstatSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { appendMessage } from '../../bus/append.ts';
import type { Ids } from '../../bus/find-bus.ts';
import { defined } from '../../core/defined.ts';
import { RalphError } from '../../core/error.ts';
import { isProjectId, isTaskId } from '../../core/text/task-ids.ts';
import { projectBus } from '../../loops/tasks/folder/task-folder.ts';
import { askToPost, JOBS_VARIABLE, SANDBOX_VARIABLE } from '../../loops/tasks/jobs/broker-client.ts';
import type { Terminal } from '../task/terminal.ts';
import { type BusFlags, busFor } from './read.ts';

export interface PostFlags extends BusFlags {
  readonly type: string;
  readonly run?: string;
  readonly body?: string;
}

export async function postCommand(flags: PostFlags, terminal: Terminal): Promise<number> {
  const env = terminal.environment.variables;
  const bus = busFor('post', flags, terminal);
  const place = { ...placeOf(bus.path), ...bus };
  const projectId = flags.project || place.projectId;
  if (!projectId) {
    throw new RalphError('BUS_PROJECT', 'cannot infer project: run from inside a task or project directory', {
      hint: 'Or give --project.',
    });
  }
  // A task belongs to its project: another project's message has none, unless it says so.
  const taskId = flags.task || (projectId === place.projectId ? place.taskId : undefined);
  const runId = flags.run || place.runId || env.JRUN_ID;
  const draft = {
    type: flags.type,
    projectId,
    ...defined({ taskId: taskId || undefined, runId: runId || undefined }),
    body: flags.body || (await pipedText()),
  };
  const broker = brokerFor(bus.path, env);
  const msgId = broker === null ? (await appendMessage(bus.path, draft)).msgId : await askToPost(broker, draft);
  await terminal.show(`msg_id: ${msgId}`);
  return 0;
}

/** In a sandbox the bus of the project is written by the supervisor: the folder that it lies in holds other tasks. */
function brokerFor(bus: string, env: Readonly<Record<string, string | undefined>>): string | null {
  const { [SANDBOX_VARIABLE]: sandbox, [JOBS_VARIABLE]: broker, JRUN_TASK_FOLDER: task } = env;
  return sandbox && broker && task && bus === projectBus(dirname(task)) ? broker : null;
}

/** What a bus's own folder says. */
function placeOf(path: string): Ids {
  const folder = dirname(path);
  const [name, above] = [basename(folder), basename(dirname(folder))];
  if (isTaskId(name) && isProjectId(above)) return { projectId: above, taskId: name };
  return isProjectId(name) ? { projectId: name } : {};
}

/** At a terminal nothing is asked for: a message without a body is a message. */
async function pipedText(): Promise<string> {
  if (fstatSync(0).isCharacterDevice()) return '';
  return text(process.stdin);
}
