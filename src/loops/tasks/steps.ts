/** The steps of a task's own: looks at its folder, waits for others, and what is posted at its end. */
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatGoDuration } from '../../core/text/duration.ts';
import type { StepPerformers } from '../../engine/performers/perform.ts';
import { blockedBy } from './folder/dependencies.ts';
import { isDone, isStopRequested, type RunSpan, waitSignal } from './folder/signals.ts';
import type { MessageType, Say } from './post.ts';
import { PROPAGATED, propagate } from './propagation.ts';
import type { TaskRequest, TaskSteps } from './rules.ts';
import { lookAtChildren, waitForChildren } from './runs/liveness.ts';

export interface StepContext {
  readonly request: TaskRequest;
  /** The run that ended last; null where runs have no folders. */
  readonly lastRun: () => RunSpan | null;
  /** Absent where agents cannot ask for jobs. */
  readonly jobs?: {
    /** Starts what agents have asked for and is not started yet. */
    readonly startAsked: () => Promise<void>;
    readonly endDead: () => Promise<void>;
  };
  readonly say: Say;
  /** On the console. */
  readonly tell: (line: string) => void;
}

export function taskSteps({ request, lastRun, jobs, say, tell }: StepContext): StepPerformers<TaskSteps> {
  const { folder, bus, project } = request;
  const announce = async (type: MessageType, body: string): Promise<void> => {
    tell(body);
    await say(type, body);
  };
  return {
    look: async () => ({
      isDone: isDone(folder),
      wait: waitSignal(folder, bus, lastRun()),
      stopRequested: isStopRequested(folder, Date.now()),
    }),

    async dependencies({ dependsOn, pollMs }, { signal }) {
      let announced = '';
      for (;;) {
        // It may turn out to be done before it has begun.
        if (isDone(folder)) return { isDone: true };
        const names = blockedBy(dirname(dirname(folder)), project, dependsOn).join(', ');
        if (names === '') break;
        if (names !== announced) await announce('PROGRESS', `task blocked by dependencies: ${names}`);
        announced = names;
        await sleep(pollMs, undefined, { signal });
      }
      if (announced !== '') await announce('FACT', 'dependencies satisfied; starting task');
      return { isDone: false };
    },

    /** However it ends, the task is done: a child that takes too long is reported, not waited for. */
    async children({ timeoutMs, pollMs }, { signal }) {
      await jobs?.startAsked();
      for (const problem of lookAtChildren(folder).problems) {
        await announce('WARNING', `failed to enumerate children: ${problem}`);
      }
      let hasWaited = false;
      const onWait = async (active: readonly string[]): Promise<void> => {
        hasWaited = true;
        await announce('INFO', `waiting for ${active.length} children to complete: [${active.join(' ')}]`);
      };
      const endOrphaned = async (): Promise<void> => jobs?.endDead();
      const left = await waitForChildren(folder, { timeoutMs, pollMs, signal, onWait, endOrphaned });
      if (left.length > 0) {
        const after = formatGoDuration(timeoutMs);
        await announce('WARNING', `timeout waiting for children after ${after}: [${left.join(' ')}]`);
      } else if (hasWaited) await announce('INFO', 'task completed (all children finished)');
      else await announce('INFO', 'task completed (DONE marker present, no active children)');
      return { left: [...left] };
    },

    /** Best effort: a task is done also when its project could not be told. */
    async propagation() {
      try {
        const { key, messageId, isNew } = await propagate(request, folder);
        if (isNew) await say('FACT', `${PROPAGATED} (msg_id=${messageId} key=${key})`);
        else await say('INFO', `task completion facts already propagated (key=${key})`);
        return { key };
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        tell(`the project could not be told that the task is done: ${reason}`);
        await say('ERROR', `task completion fact propagation failed: ${reason}`);
        return { error: reason };
      }
    },

    async exhausted({ limit }) {
      await say('ERROR', `task failed: max restarts (${limit}) exceeded`);
      return null;
    },
  };
}
