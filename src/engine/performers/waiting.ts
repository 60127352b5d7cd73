/** Waits out a back-off, a rest between iterations or a pause, with an ear for what people tell the loop. */
import type { Action, LoopCommand, Until } from '../../core/action.ts';
import type { Result } from '../../core/record.ts';
import type { Instant } from '../../core/time.ts';
import { pendingControl, type Wanted, watchControl } from '../control.ts';

export interface Waiting {
  /** The loop's own folder. */
  readonly loop: string;
  readonly now: () => Instant;
  readonly signal: AbortSignal;
}

const LONGEST_TIMER = 2 ** 31 - 1;

export function waitFor({ until, consumed }: Extract<Action, { do: 'wait' }>, waiting: Waiting): Promise<Result> {
  const { loop, now, signal } = waiting;
  const told = (): Result | null => {
    if (signal.aborted) return { kind: 'interrupted', reason: 'told to stop while waiting' };
    const pending = pendingControl(loop, consumed);
    const command = pending === null ? undefined : commandFor(pending.wanted, until);
    const said = {
      ...(pending === null ? {} : { consumed: pending.upTo }),
      ...(command === undefined ? {} : { command }),
    };
    const isOver = until === 'now' || (until !== 'command' && until <= now());
    return command !== undefined || isOver ? { kind: 'waited', ...said } : null;
  };
  // As a rule there is nothing to wait for, and nothing to watch.
  const atOnce = until === 'now' ? told() : null;
  return atOnce === null ? untilTold(told, until, waiting) : Promise.resolve(atOnce);
}

function untilTold(told: () => Result | null, until: Until, { loop, now, signal }: Waiting): Promise<Result> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    const look = (): void => {
      try {
        const result = told();
        clearTimeout(timer);
        if (result !== null) finish(() => resolve(result));
        else if (typeof until === 'number') timer = setTimeout(look, Math.min(until - now(), LONGEST_TIMER));
      } catch (error) {
        finish(() => reject(error));
      }
    };
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      stopWatching();
      signal.removeEventListener('abort', look);
      settle();
    };
    // Watching first: what is said between the look and the watch would be missed.
    const stopWatching = watchControl(loop, look);
    signal.addEventListener('abort', look, { once: true });
    look();
  });
}

/** None where the loop does already what is wanted. */
function commandFor(wanted: Wanted, until: Until): LoopCommand | undefined {
  if (wanted === 'stop') return 'stop';
  if (until === 'command') return wanted === 'run' ? 'resume' : undefined;
  return wanted === 'pause' ? 'pause' : undefined;
}
