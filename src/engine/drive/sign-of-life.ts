/** A supervisor writes the time to a file now and then: if it is killed, it cannot say how long it lived. */
import { systemFault } from '../../core/system-fault.ts';
import type { Duration, Instant } from '../../core/time.ts';
import { ifThere, readPlainText, writeFile } from '../../process/files.ts';
import { alivePath } from '../../state/paths.ts';

const EVERY: Duration = 30_000;

/** Returns the function that stops it. A loop shorter than the interval writes nothing. */
export function signsOfLife(folder: string, every = EVERY): () => void {
  const timer = setInterval(() => {
    try {
      writeFile(alivePath(folder), `${Date.now()}\n`, { mode: 0o600 });
    } catch (error) {
      // Only a time is lost. A full disk stops the loop where it matters, with the reason.
      if (systemFault(error) === null) throw error;
    }
  }, every).unref();
  return () => clearInterval(timer);
}

/**
 * The last sign of the last supervisor, if it is later than its last record. An agent may have written it: only a
 * number is accepted.
 */
export function signOfLifeAfter(at: Instant, folder: string): Instant | undefined {
  const text = unlessUnreadable(() => ifThere(() => readPlainText(alivePath(folder)))) ?? '';
  const sign = /^\d{1,15}\n$/.test(text) ? Number(text) : 0;
  return sign > at ? sign : undefined;
}

function unlessUnreadable<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    // Only a figure depends on it.
    return null;
  }
}
