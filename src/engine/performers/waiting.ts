/** Waits out a back-off, a rest between iterations or a pause, and reads what people tell the loop meanwhile. */
import type { LoopCommand, Until } from '../../core/action.ts';
import type { Result } from '../../core/record.ts';
import { pendingControl, type Wanted, watchControl } from '../control.ts';
import { LONGEST_TIMER } from './limits.ts';
import type { Of } from './perform.ts';

/** `loop` is the loop's own folder. */
export async function waitFor(
  { until, consumed }: Pick<Of<'wait'>, 'until' | 'consumed'>,
  { loop, signal }: { readonly loop: string; readonly signal: AbortSignal },
): Promise<Result> {
  const told = (): Result | null => {
    if (signal.aborted) return { kind: 'interrupted', reason: 'told to stop while waiting' };
    const pending = pendingControl(loop, consumed);
    const command = pending === null ? undefined : commandFor(pending.wanted, until);
    const isOver = until === 'now' || (until !== 'command' && until <= Date.now());
    if (command === undefined && !isOver) return null;
    return {
      kind: 'waited',
      ...(pending === null ? {} : { consumed: pending.upTo }),
      ...(command === undefined ? {} : { command }),
    };
  };
  // As a rule there is nothing to wait for, and nothing to watch.
  const atOnce = until === 'now' ? told() : null;
  if (atOnce !== null) return atOnce;
  const over = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  try {
    return await new Promise((resolve, reject) => {
      const look = (): void => {
        try {
          const result = told();
          clearTimeout(timer);
          if (result !== null) resolve(result);
          else if (typeof until === 'number') timer = setTimeout(look, Math.min(until - Date.now(), LONGEST_TIMER));
        } catch (error) {
          reject(error);
        }
      };
      // Watching first: what is said between the look and the watch would be missed.
      over.signal.addEventListener('abort', watchControl(loop, look));
      signal.addEventListener('abort', look, { signal: over.signal });
      look();
    });
  } finally {
    clearTimeout(timer);
    over.abort();
  }
}

/** None where the loop does already what is wanted. */
function commandFor(wanted: Wanted, until: Until): LoopCommand | undefined {
  if (wanted === 'stop') return 'stop';
  if (until === 'command') return wanted === 'run' ? 'resume' : undefined;
  return wanted === 'pause' ? 'pause' : undefined;
}
