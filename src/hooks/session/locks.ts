/** A command waits for the hook that is at work on the same loop; one that ends the loop also ends the check that runs. */
import { join } from 'node:path';
import type { SessionAnswer } from '../../agents/session/host.ts';
import { thisMachine } from '../../process/identity/identity.ts';
import { sleepNow, tryLock } from '../../state/lock.ts';
import { makeLoopsFolder } from '../../state/new-loop.ts';
import { loopLock } from '../../state/paths.ts';
import { endLeftCheck, forgetWaiting, noteWaiting } from './check-left.ts';
import type { SessionPlace } from './store.ts';

const TRIES = 50;
const BETWEEN_TRIES_MS = 100;

/** One for all sessions of the user: a loop has no folder of its own before it has begun. */
export function underBeginLock({ root }: SessionPlace, act: () => SessionAnswer): SessionAnswer {
  makeLoopsFolder(root);
  return underLock(join(root.path, 'sessions', '.lock'), act);
}

export function underLoopLock(folder: string, act: () => SessionAnswer): SessionAnswer {
  return underLock(loopLock(folder), act);
}

/** The hook that finds its check killed sees who waits, and gives way without an answer. */
export function underLoopLockAtOnce(folder: string, act: () => SessionAnswer): SessionAnswer {
  try {
    return underLock(loopLock(folder), act, () => {
      noteWaiting(folder);
      endLeftCheck(folder);
    });
  } finally {
    forgetWaiting(folder);
  }
}

function underLock(path: string, act: () => SessionAnswer, whileHeld?: () => void): SessionAnswer {
  const place = thisMachine();
  for (let tried = 0; tried < TRIES; tried++) {
    const attempt = tryLock(path, 'command in a session', place);
    if (attempt.got) {
      try {
        return act();
      } finally {
        attempt.lock.release();
      }
    }
    whileHeld?.();
    sleepNow(BETWEEN_TRIES_MS);
  }
  return {
    kind: 'reply',
    message: 'Another hook of ralph is busy with this loop. Try again in a moment.',
    refused: true,
  };
}
