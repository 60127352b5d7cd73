/** What a harness is told; each adapter says it in its harness's own way, as far as that has one. */
export interface Task {
  readonly prompt: string;
  readonly promptFile: string | null;
  readonly checks: readonly string[];
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

export interface Scenario {
  readonly name: string;
  readonly task?: Partial<Task>;
  readonly files?: Readonly<Record<string, string>>;
  /** What the agent does at its first, second … call; the last entry repeats. */
  readonly calls: readonly (readonly object[])[];
  readonly machine?: object;
  /** The harness is killed when this is logged, and resumed. */
  readonly kill?: { readonly atLog: string };
  /** What a person does when it has stopped by itself, before it is resumed. */
  repair?(scene: { readonly work: string }): void;
  readonly patienceMs?: number;
  /** The ending that an honest harness comes to. */
  readonly mustEnd: string;
  /** What a perfect harness needs for that. */
  readonly least: { readonly runs: number; readonly iterations: number };
  /** Whether the work is done, by what is in the work tree; otherwise that is so when answer.txt says 42. */
  isTrue?(read: (path: string) => string): boolean;
  /** Where `ralph run`, which follows seed 001, has to believe a claim: why. */
  readonly believed?: string;
  readonly witness?: readonly { readonly what: string; seen(events: readonly Witnessed[]): boolean }[];
}

export const SCENARIOS: readonly Scenario[];
