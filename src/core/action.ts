/** What a loop wants done now. Everything a performer needs is in the action; nothing is looked up elsewhere. */
import type { CheckSpec } from './check.ts';
import type { Ending } from './ending.ts';
import type { RunKey } from './keys.ts';
import type { Duration, Instant } from './time.ts';

export type Action =
  /** The one way in for what people edit: prompt and settings enter here and nowhere else. */
  | {
      readonly do: 'read-inputs';
      readonly key: string;
      readonly known: string | null;
      /** What the rules have their reader know. */
      readonly given?: unknown;
    }
  /** Finds or starts by key: a crash never starts an agent twice. */
  | {
      readonly do: 'start';
      readonly key: string;
      readonly run: RunKey;
      readonly agent: AgentChoice;
      readonly prompt: string;
      /** There is no reason for the run while a commit would hold nothing. */
      readonly unlessClean?: CommitScope;
    }
  /** Repeatable: waiting again after a crash is adoption. */
  | {
      readonly do: 'await';
      readonly key: string;
      readonly run: RunKey;
      readonly agent: AgentChoice;
      readonly handle: Handle;
      readonly listen: Listen;
      readonly limits: RunLimits;
      /** For a run that is seen on a screen. */
      readonly screen?: ScreenWatch;
    }
  | { readonly do: 'check'; readonly key: string; readonly check: CheckSpec }
  | { readonly do: 'publish'; readonly key: string; readonly what: PublishSpec }
  /** A loop kind's own: a look at the world that its rules ask for, or an effect only it knows. Doing it again must be harmless. */
  | {
      readonly do: 'step';
      readonly key: string;
      readonly what: string;
      readonly given: unknown;
      /** Others see what it does: the reason for it must be safe on the disk first. */
      readonly outward: boolean;
    }
  | {
      readonly do: 'wait';
      readonly key: string;
      readonly until: Until;
      /** The id of the last command that a record has consumed; null for none. */
      readonly consumed: string | null;
    }
  | { readonly do: 'end'; readonly key: string; readonly ending: Ending };

/** `command`: until a command comes. */
export type Until = Instant | 'now' | 'command';

/** What people tell a loop while it turns; it enters at a wait and nowhere else. */
export type LoopCommand = 'pause' | 'resume' | 'stop';

/** What ends a run that does not end by itself; null is no limit. */
export interface RunLimits {
  /** It has taken so long. */
  readonly timeMs: Duration | null;
  /** It has printed nothing for so long. */
  readonly idleMs: Duration | null;
}

export const NO_LIMITS: RunLimits = { timeMs: null, idleMs: null };

/** For a run that is seen on a screen. */
export interface ScreenWatch {
  /** A screen that has not changed for so long. */
  readonly inactivityMs: Duration;
  /** A regular expression that its output matches. */
  readonly donePattern: string | null;
}

/** The agent to call. */
export interface AgentChoice {
  readonly command: string;
  readonly flags: readonly string[];
  /**
   * `stream`: structured output where the agent has it. `text`: its last words only. `answer`: its last words, which
   * are not shown, with its account where the agent gives both.
   */
  readonly mode: 'stream' | 'text' | 'answer';
}

/** Where a run lives. What the operating system knows of it (pid, start time, boot) stands beside its files. */
export interface Handle {
  readonly runner: string;
  /** Names its files. */
  readonly name: string;
}

/** Which tag in the agent's own words a run is listened to for. */
export interface Listen {
  readonly tag: string;
  /** May the text between the tags hold line breaks? */
  readonly multiline: boolean;
}

/** What a commit would hold. */
export type CommitScope = Pick<PublishSpec, 'command' | 'stage'>;

/** One step outward: `command task`, with the message where the task takes one. */
export interface PublishSpec {
  readonly index: number;
  readonly command: string;
  readonly task: string;
  readonly message: string;
  /** What a commit holds: changes to tracked files only, or new files too. */
  readonly stage: 'tracked' | 'all';
}
