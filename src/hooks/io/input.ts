/** Reads what Claude Code hands a hook. Its stdin may be non-blocking: then "try again" is an answer, not an error. */
import { readSync } from 'node:fs';

const WAIT_MS = 2;

export function readInput(): Readonly<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  const buffer = Buffer.allocUnsafe(64 * 1024);
  for (;;) {
    const bytes = readSome(buffer);
    if (bytes === 0) break;
    chunks.push(Buffer.from(buffer.subarray(0, bytes)));
  }
  const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  return value !== null && typeof value === 'object' ? (value as Readonly<Record<string, unknown>>) : {};
}

function readSome(buffer: Buffer): number {
  for (;;) {
    try {
      return readSync(0, buffer);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'EOF') return 0;
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, WAIT_MS);
    }
  }
}
