/** The interface of a runner, which decides where an agent runs: started by us, in a tmux pane, in a sandbox. */
import type { Exit } from '../core/outcome.ts';
import type { Readiness } from '../process/follow.ts';
import type { Launch } from '../process/launch.ts';
import { outputFile } from '../state/run-files.ts';

export interface Runner {
  readonly name: string;
  /** Its agents see no files of this machine except the work tree. */
  readonly isElsewhere?: true;
  /** What it starts survives its supervisor, and is adopted by the next one. */
  readonly outlives?: true;
  /** What prevents it from starting anything here; null for nothing. Called before a run is claimed. */
  missing?(cwd: string): { readonly reason: string; readonly hint: string } | null;
  /** Begins a run that was claimed. The pid is the agent's, if the runner knows it. */
  start(run: RunRequest): Promise<{ readonly pid: number | null }>;
  /** Sees a run to its end, even one that an earlier supervisor started. */
  await(run: RunFiles, watch: RunWatch): Promise<Exit>;
  /** Called on every path out of a supervisor: ends what it started and is still running, unless that may continue. */
  close(): Promise<void>;
}

/** Names a run on this machine: its files in the folder of all runs, and the mark that its processes carry. */
export interface RunFiles extends Pick<Launch, 'folder' | 'mark'> {
  readonly name: string;
  /** Where the agent's output goes, if not beside the run's other files. */
  readonly transcript?: Transcript;
}

export interface Transcript {
  readonly folder: string;
  /** Names in the folder. */
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunRequest extends RunFiles, Pick<Launch, 'argv' | 'cwd' | 'env' | 'stdin'> {
  /** Files beside the transcript that the agent writes itself. */
  readonly writes?: readonly string[];
  /** See `AgentChoice`. */
  readonly onlyReads?: boolean;
}

export interface RunWatch {
  onOutput(chunk: Buffer): void;
  onStderr(chunk: Buffer): void;
  /** A sandbox has refused something; a sentence for a person. */
  onRefusal?(refusal: string): void;
  /** Whether more output can be taken now. */
  readonly ready: Readiness;
  /** End the run now. */
  readonly signal: AbortSignal;
}

export function transcriptOf(run: RunFiles): Transcript {
  return run.transcript ?? { folder: run.folder, stdout: outputFile(run.name), stderr: stderrName(run) };
}

export function stderrName({ name }: RunFiles): string {
  return `${name}.err`;
}
