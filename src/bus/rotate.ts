/** Puts a bus that has grown too large aside, under its lock; the next message begins a new one. */
import { existsSync, renameSync, statSync } from 'node:fs';
import { errnoOf, RalphError } from '../core/error.ts';
import { type LockOptions, underLock } from '../state/link-lock.ts';
import { cannotWrite } from './fault.ts';
import { type Clock, compactSecond, machineClock } from './message-id.ts';

export interface RotateOptions extends LockOptions {
  readonly aboveBytes: number;
  readonly now?: Clock;
}

/** The path of what was put aside, or null: it is not that large, or not there. */
export async function rotateBus(path: string, options: RotateOptions): Promise<string | null> {
  const { aboveBytes, now = machineClock } = options;
  const isLarge = (): boolean => (statSync(path, { throwIfNoEntry: false })?.size ?? 0) > aboveBytes;
  try {
    if (!isLarge()) return null;
    return await underLock(path, options, () => {
      // Another process may have done it while we waited.
      if (!isLarge()) return null;
      const archive = freeName(path, now());
      renameSync(path, archive);
      return archive;
    });
  } catch (error) {
    if (errnoOf(error) === 'ENOTDIR') return null;
    throw error instanceof RalphError ? error : cannotWrite(path, error);
  }
}

/** Of two within one second the later gets the next second's name. */
function freeName(path: string, nanos: bigint): string {
  for (let ms = Number(nanos / 1_000_000n); ; ms += 1000) {
    const name = `${path}.${compactSecond(new Date(ms).toISOString())}.archived`;
    if (!existsSync(name)) return name;
  }
}
