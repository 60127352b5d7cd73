/** What a loop wants done now. Everything a performer needs is in the action; nothing is looked up elsewhere. */

import type { BudgetLeft, BudgetUse } from './budget/terms.ts';
import type { CheckSpec } from './check.ts';
import type { Ending } from './ending.ts';
import type { Duration, Instant } from './time.ts';

/** The key names the action, uniquely within its loop: its record is found by it. */
export type Action = {
  readonly key: string;
} /** The one way in for what people edit: prompt and settings. `given` is what the rules have their reader know. */ & (
  | {
      readonly do: 'read-inputs';
      readonly known: string | null;
      readonly given?: unknown;
      /** See `wait`. */
      readonly consumed: string | null;
    }
  /** Finds or starts by key: a crash never starts an agent twice. */
  | {
      readonly do: 'start';
      readonly run: RunKey;
      readonly agent: AgentChoice;
      readonly prompt: string;
      /** The name of the agent, where it is not the loop's own; for the record. */
      readonly fallback?: string;
      /** The dollars that are left of the loop's budget, for an agent that keeps to one itself; absent for no limit. */
      readonly leftUsd?: number;
      /** It may have to be asked to wrap up, because it works on a budget. */
      readonly wrapsUp?: true;
      /** There is no reason for the run while a commit would hold nothing. */
      readonly unlessClean?: CommitScope;
    }
  /** Repeatable: waiting again after a crash is adoption. */
  | {
      readonly do: 'await';
      readonly run: RunKey;
      readonly agent: AgentChoice;
      readonly handle: Handle;
      readonly listen: Listen;
      readonly limits: RunLimits;
      /** Dollars are not asked for. */
      readonly prices?: false;
      readonly screen?: ScreenWatch;
    }
  | { readonly do: 'check'; readonly check: CheckSpec }
  | { readonly do: 'publish'; readonly what: PublishSpec }
  /** A loop kind's own; doing it again must be harmless. `outward`: others see it, so its reason is synced first. */
  | {
      readonly do: 'step';
      readonly what: string;
      readonly given: unknown;
      readonly outward: boolean;
      readonly isWait?: true;
    }
  /** `consumed` is the id of the last command that a record has consumed; null for none. `isAsking`: an answer ends it. */
  | { readonly do: 'wait'; readonly until: Until; readonly consumed: string | null; readonly isAsking?: true }
  | { readonly do: 'end'; readonly ending: Ending }
);

/** What a run of an agent is for: `work`, or a loop kind's own word such as `message`. */
export type Purpose = string;

/** Names one start of an agent, which is made at most once; an interrupted try gets a new key. */
export interface RunKey {
  readonly loop: string;
  readonly iteration: number;
  readonly purpose: Purpose;
  readonly try: number;
}

export function runName({ iteration, purpose, try: attempt }: RunKey): string {
  return `${iteration}/${purpose}/${attempt}`;
}

/** `command`: until a command comes. */
export type Until = Instant | 'now' | 'command';

/** What people have a loop do while it turns; it enters at a wait and nowhere else. */
export type LoopCommand = 'pause' | 'resume' | 'stop';

/** What ends a run that does not end by itself: its whole time, and how long it prints nothing. Null is no limit. */
export interface RunLimits {
  readonly timeMs: Duration | null;
  readonly idleMs: Duration | null;
  /** What it may still use; absent where nothing ends it. */
  readonly budget?: BudgetLeft;
  /** What of the loop's budget it may come to be warned about, with what was used before it. */
  readonly unwarned?: readonly BudgetUse[];
  /** The budgets that it works on, with what was used before it: it is asked to wrap up when one is nearly used up. */
  readonly spending?: readonly BudgetUse[];
  /** How long it may print nothing, use no CPU and hear nothing from the network, all at once; absent for any time. */
  readonly hangMs?: Duration;
}

/** For a run that is seen on a screen: when it counts as ended. */
export interface ScreenWatch {
  /** The screen has not changed for so long. */
  readonly inactivityMs: Duration;
  /** A regular expression that its output matches. */
  readonly donePattern: string | null;
}

export interface AgentChoice {
  readonly command: string;
  readonly flags: readonly string[];
  /** `text`: its last words only. `answer`: those, which are not shown, with its account where the agent gives both. */
  readonly mode: 'stream' | 'text' | 'answer';
  /** Not the loop's own agent: no fallback takes its place, and its usage limits are its own. Absent for the loop's own. */
  readonly isOther?: true;
  /** It is to change nothing: a sandbox that can keep the work tree from it does so. */
  readonly onlyReads?: true;
}

/** Where a run lives; `name` names its files. What the operating system knows of it stands beside them. */
export interface Handle {
  readonly runner: string;
  readonly name: string;
  /** What its loop kind has to know of it later on; plain data. */
  readonly kept?: unknown;
}

/** Which tag in the agent's own words a run is listened to for, and whether its content may hold line breaks. */
export interface Listen {
  readonly tag: string;
  readonly multiline: boolean;
  /** See `listenForTag`. */
  readonly skipsQuoted?: true;
}

/** What a commit would hold. */
export type CommitScope = Pick<PublishSpec, 'command' | 'stage'>;

/** One step outward: `command task`, with the message where the task takes one. */
export interface PublishSpec {
  readonly index: number;
  readonly command: string;
  readonly task: string;
  readonly message: string;
  /** What a commit contains: changes to tracked files only, or new files too. */
  readonly stage: 'tracked' | 'all';
}
