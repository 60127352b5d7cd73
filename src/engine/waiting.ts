/** Waits out a back-off or a pause, with an ear for orders. */
import type { LoopCommand, Until } from '../core/action.ts';
import type { Result } from '../core/record.ts';
import type { Instant } from '../core/time.ts';
import { type Order, readOrder, watchOrders } from './control.ts';

export interface Waiting {
  readonly loop: string;
  readonly now: () => Instant;
  readonly signal: AbortSignal;
}

const LONGEST_TIMER = 2 ** 31 - 1;

export function waitForOrders(until: Until, { loop, now, signal }: Waiting): Promise<Result> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const finish = (result: Result): void => {
      clearTimeout(timer);
      stopWatching();
      signal.removeEventListener('abort', abandon);
      resolve(result);
    };
    const abandon = (): void => finish({ kind: 'interrupted', reason: 'told to stop while waiting' });
    const look = (): void => {
      const command = commandIn(readOrder(loop), until);
      const rest = typeof until === 'number' ? until - now() : 0;
      if (signal.aborted) abandon();
      else if (command !== undefined) finish({ kind: 'waited', command });
      else if (until !== 'command' && rest <= 0) finish({ kind: 'waited' });
      else if (until !== 'command') {
        clearTimeout(timer);
        timer = setTimeout(look, Math.min(rest, LONGEST_TIMER));
      }
    };
    // Watching first: an order between the look and the watch would be missed.
    const stopWatching = watchOrders(loop, look);
    signal.addEventListener('abort', abandon, { once: true });
    look();
  });
}

function commandIn(order: Order, until: Until): LoopCommand | undefined {
  if (order === 'stop') return 'stop';
  if (until === 'command') return order === 'run' ? 'resume' : undefined;
  return order === 'pause' ? 'pause' : undefined;
}
