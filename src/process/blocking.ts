/** Deliberately blocking calls: for hooks, which are synchronous, and for short-lived commands. */
import { writeSync } from 'node:fs';
import { errnoOf } from '../core/error.ts';
import type { Duration } from '../core/time.ts';

const WAIT_MS: Duration = 2;

/** For callers that cannot wait in any other way: a hook, or a write that must be done before its caller continues. */
export function sleepNow(ms: Duration): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** A pipe can be non-blocking: then "try again" is an answer, not an error. */
export function untilTaken<T>(attempt: () => T): T {
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (errnoOf(error) !== 'EAGAIN') throw error;
      sleepNow(WAIT_MS);
    }
  }
}

/** Writes to stdout; a pipe can take a long text in pieces. */
export function writeAll(text: string): void {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; ) {
    const from = written;
    written += untilTaken(() => writeSync(1, bytes, from));
  }
}
