/** Keeps `status.json` up to date without a write per iteration: at most one a second, and the latest state always. */
import { systemFault } from '../../core/system-fault.ts';
import type { Duration } from '../../core/time.ts';
import { type LoopStatus, writeStatus } from '../../state/registry.ts';

const AT_MOST_EVERY: Duration = 1000;

export function statusWriter(folder: string) {
  let held: (() => LoopStatus) | null = null;
  let timer: NodeJS.Timeout | null = null;
  let writtenAt = -Infinity;

  const write = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    if (held === null) return;
    try {
      writeStatus(folder, held());
      held = null;
      writtenAt = now();
    } catch (error) {
      // Only a projection: the journal has the truth, and a full disk stops the loop there, with the reason.
      if (systemFault(error) === null) throw error;
    }
  };
  return {
    /** `status` is called when the file is written. */
    update(status: () => LoopStatus): void {
      held = status;
      const rest = writtenAt + AT_MOST_EVERY - now();
      if (rest <= 0) write();
      else timer ??= setTimeout(write, rest).unref();
    },
    /** Writes what was held back. */
    close: write,
  };
}

/** Monotonic, and always available: `performance` would have to be loaded. */
const now = (): Duration => process.uptime() * 1000;
