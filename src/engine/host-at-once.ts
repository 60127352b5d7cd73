/**
 * The synchronous half of the loop host, for a hook that an agent waits for: a loop is opened under a lock of its own,
 * turned as far as that goes without waiting, and closed. Nothing here is asynchronous or slow to load.
 */
import type { Action } from '../core/action.ts';
import { fold, type LoopMachine } from '../core/machine.ts';
import type { Result } from '../core/record.ts';
import type { LoopState } from '../core/state.ts';
import { turnAtOnce } from '../core/turn.ts';
import { thisMachine } from '../process/identity/identity.ts';
import { readJournal } from '../state/journal.ts';
import { type Lock, sleepNow, waitForLock } from '../state/lock.ts';
import { withRequest } from '../state/new-loop.ts';
import { journalPath } from '../state/paths.ts';
import type { OpenLoop } from './loop.ts';

export { beginUnder, openUnder, publishStatus } from './loop.ts';

/** As long as a person waits for an answer. */
const PATIENCE_MS = 5000;
const BETWEEN_TRIES_MS = 100;

/** Null when others keep it too long. `whileHeld` is called between two tries. */
export function lockSoon(path: string, purpose: string, whileHeld?: () => void): Lock | null {
  const pause = (): void => {
    whileHeld?.();
    sleepNow(BETWEEN_TRIES_MS);
  };
  const attempt = waitForLock(path, { purpose, place: thisMachine(), patience: PATIENCE_MS, pause });
  return attempt.got ? attempt.lock : null;
}

/** What a loop has come to, without touching it. */
export function readLoop<Data>(machine: LoopMachine<Data>, folder: string): LoopState<Data> {
  return fold(machine, withRequest(readJournal(journalPath(folder)).records, folder));
}

/** Applies `first`, if there is one, to the action that is due, then goes on as far as `perform` has results. */
export function turnOpen<Data>(
  machine: LoopMachine<Data>,
  { journal }: Pick<OpenLoop<Data>, 'journal'>,
  from: LoopState<Data>,
  first: Result | null,
  perform: (action: Action) => Result | null,
): LoopState<Data> {
  return turnAtOnce(machine, from, first, { perform, append: journal.append, now: Date.now() });
}
