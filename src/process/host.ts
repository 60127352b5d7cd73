/** What a supervisor knows about the machine it starts programs on; found out once, then handed down. */
import { type Mask, maskFor } from '../core/text/mask.ts';
import { type Containment, type ContainmentLevel, containmentOf } from './containment/containment.ts';

export interface Host {
  readonly containment: Containment;
  /** The environment for the programs it starts. */
  readonly env: NodeJS.ProcessEnv;
  /** Hides that environment's secrets, and what looks like one. */
  readonly mask: Mask;
  /** What the programs of a sandboxed loop are put into. */
  readonly enclosure?: Enclosure;
}

/** Puts a command into a sandbox; it is a command again, and whatever it starts is contained as any other. */
export interface Enclosure {
  enclose(argv: readonly string[], files: EnclosedFiles): [string, ...string[]];
  /** What is different inside; `undefined` takes a variable away. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Why nothing that reads the repository may run outside any more; null while it may. */
  outsideProblem(): string | null;
  /** May what runs inside write this file? Then it is not run outside. */
  mayWrite(path: string): boolean;
  /** Ends what a command that was cut off has left at work where we do not see it, and takes away what it has planted. */
  sweep?(): Promise<void>;
}

export interface EnclosedFiles {
  /** What is refused is told here. */
  readonly refusals: string;
  /** Files of ours that the program may write all the same. */
  readonly writes?: readonly string[];
  /** The terminal is the program's alone, as a pane's is: it gets its keys and is told its size. */
  readonly ownTerminal?: boolean;
}

export function thisHost(env: NodeJS.ProcessEnv, level: ContainmentLevel | null): Host {
  // A copy: the process's own is asked name by name, which every start of a program would pay for.
  return { containment: containmentOf(level), env: { ...env }, mask: maskFor(env) };
}
