/** What a supervisor knows about the machine it starts programs on: determined once, then passed down. */
import { type Mask, maskFor } from '../core/text/mask.ts';
import { type Containment, containmentOf } from './containment/containment.ts';
import type { ContainmentLevel } from './containment/levels.ts';

export interface Host {
  readonly containment: Containment;
  /** The environment for the programs it starts. */
  readonly env: NodeJS.ProcessEnv;
  /** Masks that environment's secrets, and anything that looks like one. */
  readonly mask: Mask;
  /** The sandbox for a loop's programs; absent if it has none. */
  readonly enclosure?: Enclosure;
}

/** Puts a command into a sandbox. The result is again a command, and whatever it starts is contained like any other. */
export interface Enclosure {
  /** For a command that is started at once: what it can reach is checked again each time. */
  enclose(argv: readonly string[], files: EnclosedFiles): Promise<EnclosedCommand>;
  /** What differs inside; `undefined` removes a variable. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Why programs that read the repository can no longer run outside; null while they can. */
  outsideProblem(): string | null;
  /** Whether programs inside can write this file: then it is not run outside. */
  mayWrite(path: string): boolean;
  /** Ends what a command that was cut off left running where we do not see it, and removes what it planted. */
  sweep?(): Promise<void>;
}

export interface EnclosedFiles {
  /** The file to which refusals are written. */
  readonly refusals: string;
  /** Files of ours that the program can write nevertheless. */
  readonly writes?: readonly string[];
  /** It does not need the network, like a query to git: it starts sooner without. */
  readonly isOffline?: boolean;
  /** It must not change anything that the loop works on. */
  readonly onlyReads?: boolean;
}

export interface EnclosedCommand {
  readonly argv: readonly [string, ...string[]];
  /** Call when the command has ended. It reports what was refused, and quarantines what was planted. */
  ended(): Promise<void>;
}

/** A command with a process of its own that handles its end. */
export function selfContained(argv: readonly [string, ...string[]]): EnclosedCommand {
  return { argv, ended: async () => undefined };
}

/** Runs a command, in an enclosure if there is one, and handles its end. */
export async function enclosed<Argv extends readonly string[], Gives>(
  argv: Argv,
  enclose: ((argv: Argv) => Promise<EnclosedCommand>) | undefined,
  run: (argv: Argv | EnclosedCommand['argv']) => Promise<Gives>,
): Promise<Gives> {
  if (enclose === undefined) return run(argv);
  const command = await enclose(argv);
  try {
    return await run(command.argv);
  } finally {
    await command.ended();
  }
}

export function thisHost(env: NodeJS.ProcessEnv, level: ContainmentLevel | null): Host {
  // A copy: `process.env` itself asks the system for each name, which would slow down every start of a program.
  return { containment: containmentOf(level), env: { ...env }, mask: maskFor(env) };
}
