/** The contract between the driver and the performers of actions, and what the performers of this machine share. */
import type { Action, Handle, RunKey } from '../../core/action.ts';
import type { BudgetUse } from '../../core/budget/terms.ts';
import type { AgentEvent } from '../../core/events.ts';
import type { Exit } from '../../core/outcome.ts';
import type { RecordMade, Result } from '../../core/record.ts';
import type { NoSteps, StepTypes } from '../../core/rules.ts';
import type { Duration } from '../../core/time.ts';
import type { Readiness } from '../../process/follow.ts';
import type { Host } from '../../process/host.ts';
import type { Runner, Transcript } from '../../runners/runner.ts';

export type Perform = (action: Action, at: PerformAt) => Promise<Performed>;

export type Of<Do extends Action['do']> = Extract<Action, { do: Do }>;

export interface PerformAt {
  /** Stop: what was begun is undone or ended, and the result is `interrupted`. */
  readonly signal: AbortSignal;
  progress(event: AgentEvent): void;
  /** Reports that a budget is nearly used up. */
  warn?(use: BudgetUse): void;
  /** Whether more progress can be taken now. */
  readonly ready: Readiness;
}

/** Without `attempt`, it was the first one. */
export type Performed = Pick<RecordMade, 'result' | 'attempt'>;

/** `check`, `publish` and `steps` are absent if the loop kind's rules never ask for them. */
export interface Performers<Steps extends StepTypes = NoSteps> {
  readInputs(action: Of<'read-inputs'>): Result;
  start(action: Of<'start'>): Promise<Result>;
  await(action: Of<'await'>, at: PerformAt): Promise<Result>;
  check?(action: Of<'check'>, at: PerformAt): Promise<Performed>;
  publish?(action: Of<'publish'>, at: PerformAt): Promise<Performed>;
  wait(action: Of<'wait'>, at: PerformAt): Promise<Result>;
  readonly steps?: StepPerformers<Steps>;
}

/** Performs the loop kind's own steps: takes what the rules give, returns what their `after` takes. */
export type StepPerformers<Steps extends StepTypes> = {
  readonly [What in keyof Steps & string]: (given: Steps[What]['given'], at: StepAt) => Promise<Steps[What]['gave']>;
};

/** With the action's key. */
export type StepAt = PerformAt & { readonly key: string };

export interface LocalPerformers {
  readonly loop: { readonly id: string; readonly folder: string };
  readonly cwd: string;
  readonly host: Host;
  readonly runner: Runner;
  /** How long a program has between SIGTERM and SIGKILL. */
  readonly grace: Duration;
  readonly artifacts?: RunArtifacts;
  /** What a person can do about an agent that cannot be started. */
  readonly choosingHint?: string;
  /** Prompts are passed on stdin even where an argument would do. */
  readonly promptsOnStdin?: boolean;
}

/** For a loop kind that keeps a folder per run where people look: called when a run begins and when it ends. */
export interface RunArtifacts {
  /** Called once, for a run that is about to be started; `agent` is its command. */
  open(run: RunKey, name: string, prompt: string, agent: string): Promise<ArtifactsOfRun>;
  /** The `kept` of a run whose supervisor opened it but died before recording that; undefined for none. */
  keptOf(name: string): unknown;
  started(handle: Handle, pid: number | null, argv: readonly string[]): Promise<void>;
  /** The program could not be started. */
  refused(handle: Handle, reason: string): Promise<void>;
  /** A run that was opened, perhaps by an earlier supervisor; null for one that never was. */
  find(handle: Handle): ArtifactsOfRun | null;
  ended(handle: Handle, end: RunEnd): Promise<void>;
}

export interface ArtifactsOfRun {
  /** Stored in the record of the run's start. */
  readonly kept: unknown;
  readonly transcript: Transcript;
  /** The whole prompt, and the file that holds it. */
  readonly prompt: string;
  readonly promptFile: string;
  /** Changes to the agent's environment; `undefined` removes a variable. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface RunEnd {
  readonly exit: Exit;
  /** Why it was cut off: by a signal to its supervisor, or because it printed nothing, or ran, for too long. */
  readonly cutOff: 'cancelled' | 'idle' | 'total' | null;
  /** How often its sandbox refused something. */
  readonly refusals: number;
  /** The agent's last message; null if its output does not show where messages begin and end. */
  readonly words: string | null;
}

export const INTERRUPTED = { kind: 'interrupted', reason: 'cancelled' } as const satisfies Result;

/** Tells a program which run of which loop it belongs to. */
export function keyEnvironment(loop: string, key: string, attempt: number): Record<string, string> {
  return { RALPH_LOOP: loop, RALPH_KEY: key, RALPH_ATTEMPT: String(attempt) };
}

/** Unique to one start of one run, on any machine. */
export const markOf = (loop: string, key: string, attempt: number): string => `${loop}/${key}#${attempt}`;
