/** Where an agent runs: started by us, in a tmux pane, in a sandbox. */
import type { Exit } from '../core/outcome.ts';

export interface Runner {
  readonly name: string;
  /** Begins a run in a folder that was claimed for it. */
  start(run: RunRequest): Promise<void>;
  /** Sees a run to its end, also one that an earlier supervisor started. */
  await(folder: string, watch: RunWatch): Promise<Exit>;
  /** On every path out of a supervisor: ends what it started and has not seen to its end, unless that may go on alone. */
  close(): Promise<void>;
}

export interface RunRequest {
  readonly folder: string;
  readonly mark: string;
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly stdin?: string;
}

export interface RunWatch {
  onOutput(chunk: Buffer): void;
  onStderr(chunk: Buffer): void;
  /** End the run now. */
  readonly signal: AbortSignal;
}

export const OUTPUT_FILE = 'stdout.log';
export const STDERR_FILE = 'stderr.log';
