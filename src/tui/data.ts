/** What the screen shows, as far as it is known at this moment: folded from a LoopStore, and drawn by pure functions. */
import type { Instant } from '../core/time.ts';
import type { ReadableLoop } from '../engine/store/loop-store.ts';
import type { Activity } from '../views/activity.ts';
import type { LoopCondition } from '../views/loop-condition.ts';
import type { LogLine } from '../views/loop-log.ts';
import type { Bar } from '../views/timeline/iteration-bars.ts';
import type { Timeline } from '../views/timeline/timeline.ts';

export interface LoopItem {
  readonly loop: ReadableLoop;
  /** As lists show it. */
  readonly short: string;
  /** The loop with which its task goes on, as lists show it; null for none. */
  readonly successor: string | null;
  readonly condition: LoopCondition;
  readonly activity: Activity | null;
  readonly bars: readonly Bar[];
  readonly task: string | null;
}

export interface Snapshot {
  /** What needs a person first, then what runs, then what is over. */
  readonly items: readonly LoopItem[];
  /** Loops that are not shown because they have not changed for a day. */
  readonly older: number;
  /** Why a loop cannot be read, each in a sentence. */
  readonly unreadable: readonly string[];
  /** Of the chosen loop; null until it has been read. */
  readonly detail: Detail | null;
}

export interface Detail {
  readonly id: string;
  readonly stream: StreamText;
  readonly timeline: Timeline | null;
  /** The last iteration whose agent has come to an end; 0 for none. Only up to there is it known what was changed. */
  readonly lastEnded: number;
  /** What was asked for and has come, by its name. */
  readonly panels: ReadonlyMap<string, Panel>;
}

/** Lines are only added at its end; once there are too many, another one takes its place. */
export interface StreamText {
  readonly lines: readonly LogLine[];
  /** What came before is only in the log. */
  readonly isCut: boolean;
}

/** Text that is read where it is looked at. */
export interface Panel {
  readonly lines: readonly LogLine[];
  readonly problem: string | null;
}

/** What is around the drawing. */
export interface Around {
  readonly now: Instant;
  readonly cwd: string;
  /** `2026-11-17 07:38` */
  readonly clock: (at: Instant) => string;
}
