/** While a supervisor drives a loop it notes the time now and then: one that is killed cannot say how long it still lived. */
import { systemFault } from '../../core/system-fault.ts';
import type { Duration, Instant } from '../../core/time.ts';
import { ifThere, readPlainText, writeFile } from '../../process/files.ts';
import { alivePath } from '../../state/paths.ts';

const EVERY: Duration = 30_000;

/** Gives the function that ends it. A loop that takes less time writes nothing. */
export function signsOfLife(folder: string, every = EVERY): () => void {
  const timer = setInterval(() => {
    try {
      writeFile(alivePath(folder), `${Date.now()}\n`, { mode: 0o600 });
    } catch (error) {
      // Only a time is lost. A disk that is full stops the loop where it matters, with the reason.
      if (systemFault(error) === null) throw error;
    }
  }, every).unref();
  return () => clearInterval(timer);
}

/** The last sign of the last supervisor; undefined for none after its last record. An agent may write there: it is only a number. */
export function signOfLifeAfter(at: Instant, folder: string): Instant | undefined {
  const text = unlessUnreadable(() => ifThere(() => readPlainText(alivePath(folder)))) ?? '';
  const sign = /^\d{1,15}\n$/.test(text) ? Number(text) : 0;
  return sign > at ? sign : undefined;
}

function unlessUnreadable<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    // It decides nothing but a figure.
    return null;
  }
}
