/** The steps of a task's own: looks at its folder, waits for others, and what the buses are told at its end. */
import { setTimeout as sleep } from 'node:timers/promises';
import { formatGoDuration } from '../../core/text/duration.ts';
import type { StepPerformers } from '../../engine/perform.ts';
import { isDone, isStopRequested, type RunSpan, waitSignal } from './folder/signals.ts';
import type { BusPlace, MessageType, Say } from './post.ts';
import { PROPAGATED, propagate } from './propagation.ts';
import type { Seen, TaskSteps } from './rules.ts';
import { lookAtChildren, waitForChildren } from './runs/children.ts';

export interface StepContext extends BusPlace {
  readonly folder: string;
  /** The run that ended last; null where runs have no folders. */
  readonly lastRun: () => RunSpan | null;
  /** Starts what agents have asked for and nobody has started yet. */
  readonly startAskedJobs: () => Promise<void>;
  /** Ends agents of jobs whose supervisors died. */
  readonly endDeadJobs: () => Promise<void>;
  /** The tasks of this list that are not done yet. */
  readonly blockedBy: (dependsOn: readonly string[]) => readonly string[];
  /** On the task's bus. */
  readonly say: Say;
  /** For whoever watches. */
  readonly tell: (line: string) => void;
}

export function taskSteps(setting: StepContext): StepPerformers<TaskSteps> {
  return {
    look: async () => look(setting),
    dependencies: (given, { signal }) => dependencies(setting, given, signal),
    children: (given, { signal }) => children(setting, given, signal),
    propagation: () => tellProject(setting),
    async exhausted({ limit }) {
      await setting.say('ERROR', `task failed: max restarts (${limit}) exceeded`);
      return null;
    },
  };
}

function look({ folder, bus, lastRun }: StepContext): Seen {
  return {
    isDone: isDone(folder),
    wait: waitSignal(folder, bus, lastRun()),
    stopRequested: isStopRequested(folder, Date.now()),
  };
}

async function dependencies(
  setting: StepContext,
  { dependsOn, pollMs }: TaskSteps['dependencies']['given'],
  signal: AbortSignal,
): Promise<TaskSteps['dependencies']['gave']> {
  let told = '';
  for (;;) {
    // Somebody may find that it is done before it has begun.
    if (isDone(setting.folder)) return { isDone: true };
    const blockedBy = setting.blockedBy(dependsOn);
    if (blockedBy.length === 0) break;
    const names = blockedBy.join(', ');
    if (names !== told) await announce(setting, 'PROGRESS', `task blocked by dependencies: ${names}`);
    told = names;
    await sleep(pollMs, undefined, { signal });
  }
  if (told !== '') await announce(setting, 'FACT', 'dependencies satisfied; starting task');
  return { isDone: false };
}

/** However it ends, the task is done: a child that takes too long is told of, not waited for. */
async function children(
  setting: StepContext,
  { timeoutMs, pollMs }: TaskSteps['children']['given'],
  signal: AbortSignal,
): Promise<TaskSteps['children']['gave']> {
  await setting.startAskedJobs();
  for (const problem of lookAtChildren(setting.folder).problems) {
    await announce(setting, 'WARNING', `failed to enumerate children: ${problem}`);
  }
  let hasWaited = false;
  const onWait = async (active: readonly string[]): Promise<void> => {
    hasWaited = true;
    await announce(setting, 'INFO', `waiting for ${active.length} children to complete: [${active.join(' ')}]`);
  };
  const left = await waitForChildren(setting.folder, {
    timeoutMs,
    pollMs,
    signal,
    onWait,
    endOrphaned: setting.endDeadJobs,
  });
  if (left.length > 0) {
    const after = formatGoDuration(timeoutMs);
    await announce(setting, 'WARNING', `timeout waiting for children after ${after}: [${left.join(' ')}]`);
  } else if (hasWaited) await announce(setting, 'INFO', 'task completed (all children finished)');
  else await announce(setting, 'INFO', 'task completed (DONE marker present, no active children)');
  return { left: [...left] };
}

/** Best effort: a task is done also when its project could not be told. */
async function tellProject(setting: StepContext): Promise<TaskSteps['propagation']['gave']> {
  try {
    const { key, messageId, isNew } = await propagate(setting, setting.folder);
    if (isNew) await setting.say('FACT', `${PROPAGATED} (msg_id=${messageId} key=${key})`);
    else await setting.say('INFO', `task completion facts already propagated (key=${key})`);
    return { key };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    setting.tell(`the project could not be told that the task is done: ${reason}`);
    await setting.say('ERROR', `task completion fact propagation failed: ${reason}`);
    return { error: reason };
  }
}

/** On the bus, and for whoever watches. */
async function announce(setting: StepContext, type: MessageType, body: string): Promise<void> {
  setting.tell(body);
  await setting.say(type, body);
}
