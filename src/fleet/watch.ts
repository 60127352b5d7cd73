/** A worker's heart: beats, and sees to it that the loops of workers whose heart has stopped are taken over. */
import { setTimeout as sleep } from 'node:timers/promises';
import { RalphError } from '../core/error.ts';
import type { Duration } from '../core/time.ts';
import type { Members } from './members.ts';

export interface Watch {
  readonly members: Members;
  /** A worker without a heartbeat for so long is dead. */
  readonly lease: Duration;
  readonly heartbeat: Duration;
  recover(executor: string): Promise<string[]>;
  say(message: string): void;
  readonly signal: AbortSignal;
}

/** Resolves when told to; rejects when this worker itself was taken for dead. */
export async function keepWatch(watch: Watch): Promise<void> {
  const { members, lease, heartbeat, say, signal } = watch;
  let lastBeat = Number.NEGATIVE_INFINITY;
  let steadySince = 0;
  let looking: Promise<void> | null = null;
  let complaint: string | null = null;
  // The database is away, mostly: what runs goes on, and is recorded when it is back. Said once.
  const complain = (about: string, error: unknown): void => {
    const text = `${about}: ${error instanceof Error ? error.message : String(error)}`;
    if (text !== complaint) say(text);
    complaint = text;
  };
  const look = async (): Promise<void> => {
    try {
      await buryTheDead(watch);
      complaint = null;
    } catch (error) {
      complain('cannot look after the other workers', error);
    }
    looking = null;
  };

  while (await nextBeat(heartbeat, signal)) {
    try {
      if (!(await members.beat())) throw takenForDead();
    } catch (error) {
      if (error instanceof RalphError) throw error;
      complain('no heartbeat', error);
      continue;
    }
    const now = performance.now();
    if (now - lastBeat > lease) steadySince = now;
    lastBeat = now;
    // A worker that was cut off or asleep cannot tell who else was: the others first get the time to beat again.
    if (now - steadySince < lease) continue;
    // Not waited for: a recovery that is held up must not stop this heart, too.
    looking ??= look();
  }
  await looking;
}

async function buryTheDead({ members, lease, recover, say }: Watch): Promise<void> {
  for (const id of await members.dead(lease)) {
    // In this order: were the row gone first and we died, its loops would be lost.
    const loops = await recover(id);
    await members.forget(id);
    say(`worker ${id} is gone; ${loops.length === 0 ? 'it had no loops' : `back in the queue: ${loops.join(' ')}`}`);
  }
}

async function nextBeat(heartbeat: Duration, signal: AbortSignal): Promise<boolean> {
  try {
    await sleep(heartbeat, undefined, { signal });
    return true;
  } catch {
    // Only the signal ends a sleep early.
    return false;
  }
}

/** It ends: its agents die with it, and DBOS refuses what it would still record. */
function takenForDead(): RalphError {
  const fact = 'this worker had no heartbeat for too long; its loops were given to others';
  return new RalphError('FLEET_TAKEN_FOR_DEAD', fact, {
    hint: 'Start it again. If the machine is merely slow, give all workers a longer --lease.',
    exitCode: 3,
  });
}
