/** The contract between the driver and what performs an action, and what the performers of this machine share. */
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
  /** Do it no longer: what was begun is undone or ended, and the result is `interrupted`. */
  readonly signal: AbortSignal;
  progress(event: AgentEvent): void;
  /** So much of a budget is used that a person should know. */
  warn?(use: BudgetUse): void;
  /** May more progress come now? */
  readonly ready: Readiness;
}

/** The attempt is the first one unless given. */
export type Performed = Pick<RecordMade, 'result' | 'attempt'>;

/** `check`, `publish` and `steps` are absent where the loop kind's rules have none. */
export interface Performers<Steps extends StepTypes = NoSteps> {
  readInputs(action: Of<'read-inputs'>): Result;
  start(action: Of<'start'>): Promise<Result>;
  await(action: Of<'await'>, at: PerformAt): Promise<Result>;
  check?(action: Of<'check'>, at: PerformAt): Promise<Performed>;
  publish?(action: Of<'publish'>, at: PerformAt): Promise<Performed>;
  wait(action: Of<'wait'>, at: PerformAt): Promise<Result>;
  readonly steps?: StepPerformers<Steps>;
}

/** Does the steps of a loop kind's own: what the rules give comes in, what their `after` takes goes out. */
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
  /** What a person does about an agent that cannot be started. */
  readonly choosingHint?: string;
  /** Prompts go in by stdin, also where an argument would do. */
  readonly promptsOnStdin?: boolean;
}

/** For a loop kind whose runs have a folder of their own, where people look: it hears when a run begins and how it ended. */
export interface RunArtifacts {
  /** Called once, for a run that is about to be started; `agent` is its command. */
  open(run: RunKey, name: string, prompt: string, agent: string): Promise<ArtifactsOfRun>;
  /** What is kept of a run that a supervisor opened which died before it could record that; undefined for none. */
  keptOf(name: string): unknown;
  started(handle: Handle, pid: number | null, argv: readonly string[]): Promise<void>;
  /** The program could not be started. */
  refused(handle: Handle, reason: string): Promise<void>;
  /** A run that was opened, also by an earlier supervisor; null for one that never was. */
  find(handle: Handle): ArtifactsOfRun | null;
  ended(handle: Handle, end: RunEnd): Promise<void>;
}

export interface ArtifactsOfRun {
  /** For the record of its start. */
  readonly kept: unknown;
  readonly transcript: Transcript;
  /** The whole prompt, and the file that holds it. */
  readonly prompt: string;
  readonly promptFile: string;
  /** The agent's environment; `undefined` takes a variable out. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface RunEnd {
  readonly exit: Exit;
  /** It was cut off: by a signal to its supervisor, or because it printed nothing, or ran, for too long. */
  readonly cutOff: 'cancelled' | 'idle' | 'total' | null;
  /** How often its sandbox refused it something. */
  readonly refusals: number;
  /** The agent's last words; null where its output does not tell them apart. */
  readonly words: string | null;
}

export const INTERRUPTED = { kind: 'interrupted', reason: 'cancelled' } as const satisfies Result;

/** Tells a program which run of which loop it is. */
export function keyEnvironment(loop: string, key: string, attempt: number): Record<string, string> {
  return { RALPH_LOOP: loop, RALPH_KEY: key, RALPH_ATTEMPT: String(attempt) };
}

/** Unique to one start of one run, on any machine. */
export const markOf = (loop: string, key: string, attempt: number): string => `${loop}/${key}#${attempt}`;
