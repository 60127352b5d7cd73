/** The task for a harness; each adapter passes it on in its harness's own way, as far as there is one. */
export interface Task {
  readonly prompt: string;
  readonly promptFile: string | null;
  readonly checks: readonly string[];
  /** The command that prepares a fresh clone for its checks. */
  readonly setup: string | null;
  /** Paths that the agent must not write, if the harness can prevent it. */
  readonly protect: readonly string[];
  readonly iterations: number;
  readonly hangAfterMs: number | null;
  readonly longestRunMs: number;
  readonly maxTokens: number | null;
  readonly maxTimeMs: number | null;
  /** The program of the agent. */
  readonly agent: string;
  /** The model that can replace the agent's own while that is limited. */
  readonly fallbackModel: string | null;
  /** End, instead of continuing, if iterations make no progress. */
  readonly endsWhenStuck: boolean;
}

/** A line of the witnesses' log. */
export interface Witnessed {
  readonly did: string;
  readonly at: number;
  readonly own: number;
  readonly [more: string]: unknown;
}

export interface Witness {
  readonly what: string;
  seen(events: readonly Witnessed[]): boolean;
}

export interface AgentScript {
  /** What the agent does at its first, second … call; the last entry repeats. */
  readonly calls: readonly (readonly object[])[];
  /** Shows that the agent really did what it is meant to. */
  readonly witness?: readonly Witness[];
  /** Why a harness that only runs the checks, such as `ralph run` without options, must believe it, if it must. */
  readonly believed?: string;
}

/** The work tree as this process sees it. */
export interface Truth {
  readonly work: string;
  /** Empty for a file that does not exist. */
  read(path: string): string;
}

/** A small project that several scenarios share. */
export interface Project {
  readonly files: Readonly<Record<string, string>>;
  readonly task: Partial<Task>;
  isTrue(at: Truth): boolean;
}

export interface Scenario {
  readonly name: string;
  readonly project?: Project;
  readonly task?: Partial<Task>;
  readonly files?: Readonly<Record<string, string>>;
  /** Does the work, or says honestly that it cannot be done. */
  readonly honest: AgentScript;
  /** Claims to be done without doing anything. */
  readonly nop: AgentScript;
  /** Has a trick that makes the work look done. */
  readonly cheat: AgentScript;
  readonly machine?: object;
  /** The harness is killed when this is logged, and then resumed. */
  readonly kill?: { readonly atLog: string };
  /** What a person repairs after the harness has stopped by itself, before it is resumed. */
  repair?(scene: { readonly work: string }): void;
  readonly patienceMs?: number;
  /** How a harness must end with the honest agent. With the others, it must not end as done. */
  readonly mustEnd: string;
  /** The runs and iterations that a perfect harness needs for that. */
  readonly least: { readonly runs: number; readonly iterations: number };
  /** Whether the work is done, by hidden tests or by the work tree; by default, if answer.txt says 42. */
  isTrue?(at: Truth): boolean;
  /** Shows that the fault happened, whichever agent met it. */
  readonly fault?: readonly Witness[];
}

export const SCENARIOS: readonly Scenario[];
