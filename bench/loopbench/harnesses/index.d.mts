import type { Task } from '../scenarios/index.mjs';

export interface Scene {
  readonly folder: string;
  readonly work: string;
  readonly state: string;
  readonly env: Readonly<Record<string, string>>;
  inside(...path: string[]): string;
}

/** One event of the agent's log: that it was started. */
export interface Started {
  readonly key: string | null;
}

export interface Harness {
  readonly name: string;
  /** Null if it can be played; otherwise what is missing. */
  missing(): string | null;
  /** How its agents say that they are done, or blocked, if not in ralph's words. */
  readonly claim?: string;
  readonly blocked?: string;
  /** Writes what the harness needs in the work tree, before the first commit. */
  prepare(scene: Scene, task: Task): void;
  /** Its settings in the work tree, as rewritten by an agent that wants no checks. Absent if it has none there. */
  weakSettings?(scene: Scene, task: Task): { readonly path: string; readonly content: string };
  start(scene: Scene, task: Task): readonly string[];
  /** The command that a person types after it was killed. */
  resume(scene: Scene, task: Task): readonly string[];
  /** `output`: everything that it printed. */
  endingOf(code: number, output: string): string;
  iterationsOf(starts: readonly Started[]): number;
  cgroupMarks(scene: Scene): readonly string[];
}

export const HARNESSES: readonly Harness[];
