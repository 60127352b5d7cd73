/** The steps of a task's own: looks at its folder, waits for others, and what the buses are told at its end. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Action } from '../../core/action.ts';
import type { Json } from '../../core/json.ts';
import type { Result } from '../../core/record.ts';
import { formatGoDuration } from '../../core/text/duration.ts';
import { INTERRUPTED } from '../../engine/local.ts';
import type { PerformAt } from '../../engine/perform.ts';
import { isDone } from './folder/done-file.ts';
import { isStopRequested, type RunSpan, waitSignal } from './folder/wait-signals.ts';
import type { BusPlace, MessageType, Say } from './post.ts';
import { PROPAGATED, propagate } from './propagation.ts';
import type { Seen, TaskStep } from './rules.ts';
import { lookAtChildren, waitForChildren } from './runs/children.ts';

export interface StepSetting extends BusPlace {
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

export async function performStep(
  setting: StepSetting,
  { what, given }: Extract<Action, { do: 'step' }>,
  at: PerformAt,
): Promise<Result> {
  try {
    // Given by this door's own rules.
    const gave = await doStep(setting, what as TaskStep, given as never, at.signal);
    return { kind: 'stepped', what, gave };
  } catch (error) {
    if (at.signal.aborted) return INTERRUPTED;
    throw error;
  }
}

async function doStep(setting: StepSetting, what: TaskStep, given: never, signal: AbortSignal): Promise<Json> {
  switch (what) {
    case 'look':
      return { ...look(setting) };
    case 'dependencies':
      return dependencies(setting, given, signal);
    case 'children':
      return children(setting, given, signal);
    case 'propagation':
      return tellProject(setting);
    case 'exhausted': {
      const { limit } = given as { limit: number };
      await setting.say('ERROR', `task failed: max restarts (${limit}) exceeded`);
      return {};
    }
  }
}

function look({ folder, bus, lastRun }: StepSetting): Seen {
  return {
    isDone: isDone(folder),
    wait: waitSignal(folder, bus, lastRun()),
    stopRequested: isStopRequested(folder, Date.now()),
  };
}

async function dependencies(
  setting: StepSetting,
  { dependsOn, pollMs }: { dependsOn: readonly string[]; pollMs: number },
  signal: AbortSignal,
): Promise<Json> {
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
  setting: StepSetting,
  { timeoutMs, pollMs }: { timeoutMs: number; pollMs: number },
  signal: AbortSignal,
): Promise<Json> {
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
async function tellProject(setting: StepSetting): Promise<Json> {
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
async function announce(setting: StepSetting, type: MessageType, body: string): Promise<void> {
  setting.tell(body);
  await setting.say(type, body);
}
