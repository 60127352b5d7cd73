/** The performers that front doors share: runs, checks, publishing and waiting on this machine. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Until } from '../core/action.ts';
import type { Result } from '../core/record.ts';
import type { Instant } from '../core/time.ts';
import type { LocalPerformers } from './local.ts';
import type { Perform } from './perform.ts';
import { performCheck, performPublish } from './perform-command.ts';
import { awaitRun, startRun } from './perform-run.ts';

export function localPerformers(local: LocalPerformers): Perform {
  return async (action, at) => {
    switch (action.do) {
      case 'read-inputs':
        return { result: local.readInputs(action.known), attempt: 1 };
      case 'start':
        return { result: await startRun(local, action), attempt: 1 };
      case 'await':
        return { result: await awaitRun(local, action, at), attempt: 1 };
      case 'check':
        return performCheck(local, action, at);
      case 'publish':
        return performPublish(local, action, at);
      case 'step':
        throw new Error('whoever has steps of its own brings a performer for them');
      case 'wait':
        return { result: await waitUntil(action.until, local.now, at.signal), attempt: 1 };
      case 'end':
        throw new Error('a loop ends in its driver, not in a performer');
    }
  };
}

export async function waitUntil(until: Until, now: () => Instant, signal: AbortSignal): Promise<Result> {
  // Who takes commands brings a performer of its own for them.
  if (until === 'command') throw new Error('this loopKind takes no commands');
  const rest = until === 'now' ? 0 : until - now();
  if (rest <= 0) return { kind: 'waited' };
  try {
    await sleep(rest, undefined, { signal });
    return { kind: 'waited' };
  } catch {
    // Only the signal ends a sleep early.
    return { kind: 'interrupted', reason: 'told to stop while waiting' };
  }
}
