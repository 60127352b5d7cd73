/** For a loop kind whose runs have a folder of their own, where people look: it is told when a run begins and how it ended. */

import type { RunKey } from '../../core/keys.ts';
import type { Exit } from '../../core/outcome.ts';
import type { Transcript } from '../../runners/runner.ts';

export interface RunArtifacts {
  /** Called once, for a run that is about to be started. */
  open(run: RunKey, name: string, prompt: string): Promise<ArtifactsOfRun>;
  started(name: string, pid: number | null, argv: readonly string[]): Promise<void>;
  /** The program could not be started. */
  refused(name: string, reason: string): Promise<void>;
  /** A run that was opened, also by an earlier supervisor; null for one that never was. */
  find(name: string): ArtifactsOfRun | null;
  ended(name: string, end: RunEnd): Promise<void>;
}

export interface ArtifactsOfRun {
  readonly transcript: Transcript;
  /** The whole prompt, and the file that holds it. */
  readonly prompt: string;
  readonly promptFile: string;
  /** The agent's environment; `undefined` takes a variable out. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

export interface RunEnd {
  readonly exit: Exit;
  /** It was cut off: by a signal to its supervisor, or because it printed nothing for too long. */
  readonly cutOff: 'cancelled' | 'idle' | 'total' | null;
  /** How often its sandbox refused it something. */
  readonly refusals: number;
}
