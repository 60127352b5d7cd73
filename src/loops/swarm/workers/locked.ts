/** Does something while holding a lock, and waits for its turn. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Duration } from '../../../core/time.ts';
import type { MachineIdentity } from '../../../process/identity/identity.ts';
import { type Lock, tryLock } from '../../../state/lock.ts';
import { refused } from './swarm.ts';

export interface Wanted {
  readonly folder: string;
  readonly purpose: string;
  readonly place: MachineIdentity;
  readonly patience: Duration;
}

/** Not all at the same moment: contenders that look in step would go on meeting. */
const LOOK_EVERY_AT_MOST: Duration = 20;

export async function locked<T>(wanted: Wanted, work: () => Promise<T> | T): Promise<T> {
  const lock = await take(wanted);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

async function take({ folder, purpose, place, patience }: Wanted): Promise<Lock> {
  const deadline = performance.now() + patience;
  for (;;) {
    const attempt = tryLock(folder, purpose, place);
    if (attempt.got) return attempt.lock;
    const { holder, foreign, file } = attempt;
    if (foreign) {
      const where = `${holder.purpose}, pid ${holder.pid} on another machine or in another container`;
      throw refused(`locked by ${where}`, 1, `If that process is gone, remove ${file}`);
    }
    if (performance.now() > deadline) throw refused(`locked by ${holder.purpose}, pid ${holder.pid}`);
    await sleep(1 + Math.random() * LOOK_EVERY_AT_MOST);
  }
}
