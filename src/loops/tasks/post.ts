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

/** A bus that did not take the last message is not waited for as long again. */
const BRIEFLY = { lockTimeoutMs: 500, tries: 1 } as const;

/** A message that the bus does not take is lost, with a warning: no task fails by it. */
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

/** Why the agent is not started again, on the bus. The other endings have said so before. */
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
  // A sandboxed agent may have made a link of its bus, to what it may not write.
  return appendMessage(bus, draft, { ...options, followsLinks: !isSandboxed(place) });
}
