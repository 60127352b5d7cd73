/** The actions of a loop: what it wants done now. An action holds all that its performer needs. */

import type { BudgetLeft, BudgetUse } from './budget/terms.ts';
import type { CheckSpec } from './check.ts';
import type { Ending } from './ending.ts';
import type { Duration, Instant } from './time.ts';

/** `key` is unique within the loop; it links the action to its record. */
export type Action = {
  readonly key: string;
} /** The only way in for what people edit (prompt, settings). `given`: what the rules pass to the reader. */ & (
  | {
      readonly do: 'read-inputs';
      readonly known: string | null;
      readonly given?: unknown;
      /** See `wait`. */
      readonly consumed: string | null;
    }
  /** Starts the run, or finds it by its key if it was started before: a crash never starts an agent twice. */
  | {
      readonly do: 'start';
      readonly run: RunKey;
      readonly agent: AgentChoice;
      readonly prompt: string;
      /** The name of the fallback that works instead of the loop's own agent; for the record. */
      readonly fallback?: string;
      /** Dollars left in the loop's budget, for an agent that enforces a budget itself; absent for no limit. */
      readonly leftUsd?: number;
      /** The run spends a budget, so the agent may have to be asked to wrap up. */
      readonly wrapsUp?: true;
      /** Skip the run if such a commit would be empty. */
      readonly unlessClean?: CommitScope;
    }
  /** Repeatable: after a crash, the next supervisor adopts the run and waits again. */
  | {
      readonly do: 'await';
      readonly run: RunKey;
      readonly agent: AgentChoice;
      readonly handle: Handle;
      readonly listen: Listen;
      readonly limits: RunLimits;
      /** Dollars are neither estimated nor taken from the agent. */
      readonly prices?: false;
      readonly screen?: ScreenWatch;
    }
  | { readonly do: 'check'; readonly check: CheckSpec }
  | { readonly do: 'publish'; readonly what: PublishSpec }
  /** A loop kind's own step; must be safe to repeat. `outward`: others see it, so its reason is synced first. */
  | {
      readonly do: 'step';
      readonly what: string;
      readonly given: unknown;
      readonly outward: boolean;
      readonly isWait?: true;
    }
  /** `consumed`: id of the last command that a record has consumed, or null. `isAsking`: an answer ends the wait. */
  | { readonly do: 'wait'; readonly until: Until; readonly consumed: string | null; readonly isAsking?: true }
  | { readonly do: 'end'; readonly ending: Ending }
);

/** What a run of an agent is for: `work`, or a loop kind's own word such as `message`. */
export type Purpose = string;

/** Identifies one start of an agent, made at most once; after an interruption, the next try has a new key. */
export interface RunKey {
  readonly loop: string;
  readonly iteration: number;
  readonly purpose: Purpose;
  readonly try: number;
}

export function runName({ iteration, purpose, try: attempt }: RunKey): string {
  return `${iteration}/${purpose}/${attempt}`;
}

/** `command`: until a command arrives. */
export type Until = Instant | 'now' | 'command';

/** Commands that people send to a running loop. They take effect only at a wait. */
export type LoopCommand = 'pause' | 'resume' | 'stop';

/** Limits that end a run: its total time, and how long it may print nothing. Null for no limit. */
export interface RunLimits {
  readonly timeMs: Duration | null;
  readonly idleMs: Duration | null;
  /** What the run may still use; absent if no budget ends it. */
  readonly budget?: BudgetLeft;
  /** The parts of the loop's budget that may need a warning during this run, with what was used before it. */
  readonly unwarned?: readonly BudgetUse[];
  /** The budgets that the run spends, and what was used before it: the agent wraps up when one is nearly used up. */
  readonly spending?: readonly BudgetUse[];
  /** How long it may print nothing, use no CPU and receive no network data, all at once; absent for no limit. */
  readonly hangMs?: Duration;
}

/** For a run in a terminal screen: when it counts as ended. */
export interface ScreenWatch {
  /** When the screen has not changed for this long. */
  readonly inactivityMs: Duration;
  /** When its output matches this regular expression. */
  readonly donePattern: string | null;
}

export interface AgentChoice {
  readonly command: string;
  readonly flags: readonly string[];
  /** `text`: only its final text. `answer`: that, not shown, and its account if the agent gives both. */
  readonly mode: 'stream' | 'text' | 'answer';
  /** Not the loop's own agent: no fallback replaces it, and its usage limits are its own. Absent otherwise. */
  readonly isOther?: true;
  /** It must change nothing: a sandbox that can make the work tree read-only does so. */
  readonly onlyReads?: true;
}

/** Where a run lives. `name` is the base name of its files; the identity of its processes is stored beside them. */
export interface Handle {
  readonly runner: string;
  readonly name: string;
  /** Plain data that the loop kind needs later. */
  readonly kept?: unknown;
}

/** The tag to look for in the agent's own words, and whether its content can span several lines. */
export interface Listen {
  readonly tag: string;
  readonly multiline: boolean;
  /** See `listenForTag`. */
  readonly skipsQuoted?: true;
}

/** What a commit would contain. */
export type CommitScope = Pick<PublishSpec, 'command' | 'stage'>;

/** One publishing step: `command task`, with the message if the task takes one. */
export interface PublishSpec {
  readonly index: number;
  readonly command: string;
  readonly task: string;
  readonly message: string;
  /** What a commit contains: changes to tracked files only, or new files too. */
  readonly stage: 'tracked' | 'all';
}
