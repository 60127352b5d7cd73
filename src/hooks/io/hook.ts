/** What all hooks share: they read their input, and let the session continue whatever goes wrong. */
import { readSync, writeSync } from 'node:fs';
import type { Fields } from '../../agents/session/host.ts';
import { errnoOf } from '../../core/error.ts';
import { untilTaken } from '../../process/blocking.ts';

/** A bug of ours must not block a session: this exit code blocks nothing, and the person sees the message. */
export function runHook(failed: string, hook: () => void): void {
  try {
    hook();
  } catch (error) {
    writeSync(2, `ralph: ${failed}: ${error instanceof Error ? error.message : String(error)}\n`);
    process.exitCode = 1;
  }
}

export function readInput(): Fields {
  const chunks: Buffer[] = [];
  const buffer = Buffer.allocUnsafe(64 * 1024);
  for (let bytes = readSome(buffer); bytes > 0; bytes = readSome(buffer))
    chunks.push(Buffer.from(buffer.subarray(0, bytes)));
  const value: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  return value !== null && typeof value === 'object' ? (value as Fields) : {};
}

/** For a hook that must also work with invalid input. */
export function inputOrNothing(): Fields {
  try {
    return readInput();
  } catch {
    return {};
  }
}

function readSome(buffer: Buffer): number {
  try {
    return untilTaken(() => readSync(0, buffer));
  } catch (error) {
    if (errnoOf(error) === 'EOF') return 0;
    throw error;
  }
}
