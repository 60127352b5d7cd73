/** The data that the screen shows, folded from a LoopStore and drawn by pure functions. */
import type { Instant } from '../core/time.ts';
import type { ReadableLoop } from '../engine/store/loop-store.ts';
import type { Activity } from '../views/activity.ts';
import type { LoopCondition } from '../views/loop-condition.ts';
import type { LogLine } from '../views/loop-log.ts';
import type { Bar } from '../views/timeline/iteration-bars.ts';
import type { Timeline } from '../views/timeline/timeline.ts';

export interface LoopItem {
  readonly loop: ReadableLoop;
  /** Its name in lists. */
  readonly short: string;
  /** The name of the loop in which its task continues; null for none. */
  readonly successor: string | null;
  readonly condition: LoopCondition;
  readonly activity: Activity | null;
  readonly bars: readonly Bar[];
  readonly task: string | null;
}

export interface Snapshot {
  /** Loops that need a person first, then running ones, then those that are over. */
  readonly items: readonly LoopItem[];
  /** Loops that are not shown because they have not changed for a day. */
  readonly older: number;
  /** Why loops cannot be read, a sentence for each. */
  readonly unreadable: readonly string[];
  /** Details of the selected loop; null until they have been read. */
  readonly detail: Detail | null;
}

export interface Detail {
  readonly id: string;
  readonly stream: StreamText;
  readonly timeline: Timeline | null;
  /** The last iteration whose agent has ended; 0 for none. Changes are known only up to this one. */
  readonly lastEnded: number;
  /** The panels that have been read, by name. */
  readonly panels: ReadonlyMap<string, Panel>;
}

/** Lines are only appended. Once there are too many, a new `StreamText` replaces this one. */
export interface StreamText {
  readonly lines: readonly LogLine[];
  /** Earlier lines are left out; the log has them. */
  readonly isCut: boolean;
}

/** The text of a tab, read when the tab is open. */
export interface Panel {
  readonly lines: readonly LogLine[];
  readonly problem: string | null;
}

/** What drawing depends on in addition to the state and the data. */
export interface Around {
  readonly now: Instant;
  readonly cwd: string;
  /** `2026-11-17 07:38` */
  readonly clock: (at: Instant) => string;
}
