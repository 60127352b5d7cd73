/** Waits for an event with a timeout, whose error says what did not happen. */
import { setTimeout as sleep } from 'node:timers/promises';

const LOOK_EVERY_MS = 10;

export async function withDeadline<T>(what: string, ms: number, happening: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`not within ${ms} ms: ${what}`)), ms);
  });
  try {
    return await Promise.race([happening, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Calls `look` repeatedly, and returns its first value that is not null. */
export async function seen<T>(what: string, ms: number, look: () => T | null | Promise<T | null>): Promise<T> {
  const deadline = performance.now() + ms;
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    if (performance.now() > deadline) throw new Error(`not within ${ms} ms: ${what}`);
    await sleep(LOOK_EVERY_MS);
  }
}
