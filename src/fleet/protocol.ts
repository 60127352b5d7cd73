/** What workers and submitters must agree on: names in the database, and what an order for a loop holds. */
import type { Created } from '../core/record.ts';
import type { Instant } from '../core/time.ts';

/** Whose rows these are in a database that other DBOS applications may share. */
export const APPLICATION = 'ralph';

/** DBOS's version of the application: raised only when a loop that an older release began can no longer be replayed. */
export const PROTOCOL_VERSION = 'protocol-1';

export const QUEUE = 'ralph-loops';
export const WORKFLOW = 'ralph-loop';

/** Every action is performed in a step of this one name, so that a changed `next` does not contradict a replay. */
export const STEP = 'perform';

/** A message here ends a wait early. */
export const WAKE_TOPIC = 'wake';

/** The workflow's only argument: the loop's first record. */
export interface LoopOrder {
  readonly created: Created;
  readonly at: Instant;
}
