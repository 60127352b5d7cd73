/** What a harness is told; each adapter says it in its harness's own way, as far as that has one. */
export interface Task {
  readonly prompt: string;
  readonly promptFile: string | null;
  readonly checks: readonly string[];
  /** What makes a fresh clone ready for its checks. */
  readonly setup: string | null;
  /** Paths that the agent must not write, where the harness can see to that. */
  readonly protect: readonly string[];
  readonly iterations: number;
  readonly hangAfterMs: number | null;
  readonly longestRunMs: number;
  readonly maxTokens: number | null;
  readonly maxTimeMs: number | null;
  /** The program that is the agent. */
  readonly agent: string;
  /** The model that may stand in for the agent's own while that is limited. */
  readonly fallbackModel: string | null;
  /** End instead of going on where iterations get nowhere. */
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
  /** That it really did what it is there for. */
  readonly witness?: readonly Witness[];
  /** Where a harness that only runs the checks, such as `ralph run` without options, has to believe it: why. */
  readonly believed?: string;
}

/** The work tree as this process sees it. */
export interface Truth {
  readonly work: string;
  /** Empty for a file that is not there. */
  read(path: string): string;
}

/** A small project that several scenarios have in common. */
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
  /** Does the work, or says honestly that it can not be done. */
  readonly honest: AgentScript;
  /** Claims to be done, and does nothing for it. */
  readonly nop: AgentScript;
  /** Has a trick to look done. */
  readonly cheat: AgentScript;
  readonly machine?: object;
  /** The harness is killed when this is logged, and resumed. */
  readonly kill?: { readonly atLog: string };
  /** What a person does when it has stopped by itself, before it is resumed. */
  repair?(scene: { readonly work: string }): void;
  readonly patienceMs?: number;
  /** The ending that a harness comes to with the honest agent. With the others it must not be done. */
  readonly mustEnd: string;
  /** What a perfect harness needs for that. */
  readonly least: { readonly runs: number; readonly iterations: number };
  /** Whether the work is done, by hidden tests or by what is in the work tree; otherwise when answer.txt says 42. */
  isTrue?(at: Truth): boolean;
  /** That the fault happened, whichever agent met it. */
  readonly fault?: readonly Witness[];
}

export const SCENARIOS: readonly Scenario[];
