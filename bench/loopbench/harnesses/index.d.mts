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
  /** Null where it can be played; otherwise what is missing. */
  missing(): string | null;
  /** The words in which its agents say that they are done, or blocked, where those are not ralph's. */
  readonly claim?: string;
  readonly blocked?: string;
  /** Before the first commit: what it wants to find in the work tree. */
  prepare(scene: Scene, task: Task): void;
  /** Its own settings in the work tree, as an agent would rewrite them that wants no checks. Absent where it has none there. */
  weakSettings?(scene: Scene, task: Task): { readonly path: string; readonly content: string };
  start(scene: Scene, task: Task): readonly string[];
  /** What a person types after it was killed. */
  resume(scene: Scene, task: Task): readonly string[];
  /** `output`: all that it printed. */
  endingOf(code: number, output: string): string;
  iterationsOf(starts: readonly Started[]): number;
  cgroupMarks(scene: Scene): readonly string[];
}

export const HARNESSES: readonly Harness[];
