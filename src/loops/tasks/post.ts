/** Posts a loop's own messages to its task's bus. */
import { type AppendOptions, appendMessage } from '../../bus/append.ts';
import { defined } from '../../core/defined.ts';
import type { Ending } from '../../core/ending.ts';
import { RalphError } from '../../core/error.ts';
import type { Mask } from '../../core/text/mask.ts';
import { isSandboxed, type TaskRequest } from './request.ts';

export type BusPlace = Pick<TaskRequest, 'bus' | 'project' | 'task' | 'sandbox'>;

type RunMessage = 'RUN_START' | 'RUN_STOP' | 'RUN_CRASH';
export type MessageType = RunMessage | 'INFO' | 'WARNING' | 'WARN' | 'ERROR' | 'FACT' | 'PROGRESS' | 'USER';

export type Say = (type: MessageType, body: string, runId?: string) => Promise<void>;

/** If the bus did not accept the last message, the next one waits less. */
const BRIEFLY = { lockTimeoutMs: 500, tries: 1 } as const;

/** If the bus does not accept a message, it is lost with a warning: a task must not fail because of that. */
export function voiceOn(place: BusPlace, tell: (line: string) => void, options: AppendOptions = {}): Say {
  let isDeaf = false;
  const ownEnd = {};
  return async (type, body, runId) => {
    try {
      await post(place, type, body, runId, { ...options, ...(isDeaf ? BRIEFLY : {}), ownEnd });
      isDeaf = false;
    } catch (error) {
      if (!(error instanceof RalphError)) throw error;
      isDeaf = true;
      tell(`warning: ${error.message}; a message of type ${type} is lost: ${body.split('\n')[0]}`);
    }
  };
}

/** Posts why the agent is not started again. The other endings have already posted it. */
export async function sayEnding(ending: Ending, mask: Mask, say: Say): Promise<void> {
  if (ending.kind === 'waiting') await say('INFO', `task waits and is not restarted: ${mask(ending.reason)}`);
  if (ending.kind === 'stopped') await say('INFO', `task stopped: ${mask(ending.reason ?? 'on request')}`);
  if (ending.kind === 'auth' || ending.kind === 'blocked' || ending.kind === 'configuration') {
    await say('ERROR', `task failed: ${mask(ending.reason)}`);
  }
}

export function post(place: BusPlace, type: MessageType, body: string, runId?: string, options: AppendOptions = {}) {
  const { bus, project, task } = place;
  const draft = { type, projectId: project, ...defined({ taskId: task || undefined, runId }), body };
  // A sandboxed agent may have replaced its bus with a link to a file that it cannot write to.
  return appendMessage(bus, draft, { ...options, followsLinks: !isSandboxed(place) });
}
