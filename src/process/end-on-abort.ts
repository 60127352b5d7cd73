/** Sees a run to its end, and ends it when the signal says so; comes back when nothing of that is under way any more. */
import type { Duration } from '../core/time.ts';
import { endRun } from './end.ts';
import type { Trace } from './trace.ts';

export async function endOnAbort<T>(
  trace: Trace,
  { signal, grace }: { readonly signal: AbortSignal; readonly grace: Duration },
  wait: () => Promise<T>,
): Promise<T> {
  let ending = Promise.resolve(true);
  const end = (): void => {
    ending = endRun(trace, grace);
  };
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  try {
    const result = await wait();
    await ending;
    return result;
  } finally {
    signal.removeEventListener('abort', end);
  }
}
