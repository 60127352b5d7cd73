/** What workers and submitters must agree on: names in the database, and what an order for a loop contains. */
import type { Created } from '../core/record.ts';
import type { Instant } from '../core/time.ts';

/** Marks our rows in a database that other DBOS applications may share. */
export const APPLICATION = 'ralph';

/** DBOS's version of the application: raised only when loops of an older release can no longer be replayed. */
export const PROTOCOL_VERSION = 'protocol-1';

export const QUEUE = 'ralph-loops';
export const WORKFLOW = 'ralph-loop';

/** Every action is performed in a step of this name, so that a changed `next` does not contradict a replay. */
export const STEP = 'perform';

/** A message on this topic ends a wait early. */
export const WAKE_TOPIC = 'wake';

/** The workflow's only argument: the loop's first record. */
export interface LoopOrder {
  readonly created: Created;
  readonly at: Instant;
}
