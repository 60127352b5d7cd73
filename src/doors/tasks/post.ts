/** Posts a loop's own messages to its task's bus. */
import { appendMessage } from '../../bus/append.ts';
import type { Message } from '../../bus/message.ts';

export interface BusPlace {
  readonly bus: string;
  readonly project: string;
  readonly task: string;
}

export type MessageType =
  | 'INFO'
  | 'WARNING'
  | 'WARN'
  | 'ERROR'
  | 'FACT'
  | 'PROGRESS'
  | 'RUN_START'
  | 'RUN_STOP'
  | 'RUN_CRASH';

export function post(
  { bus, project, task }: BusPlace,
  type: MessageType,
  body: string,
  runId?: string,
): Promise<Message> {
  const run = runId === undefined ? {} : { runId };
  return appendMessage(bus, { type, projectId: project, ...(task === '' ? {} : { taskId: task }), ...run, body });
}
