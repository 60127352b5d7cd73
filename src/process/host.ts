/** What a supervisor knows about the machine it starts programs on; found out once, then handed down. */
import { type Mask, maskFor } from '../core/text/mask.ts';
import { type Containment, containmentOf } from './containment/containment.ts';
import type { ContainmentLevel } from './containment/levels.ts';

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
  /** For a command that is started at once: what it may reach is looked at again each time. */
  enclose(argv: readonly string[], files: EnclosedFiles): Promise<EnclosedCommand>;
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
  /** It has no use for the network, as a question to git: it starts sooner without. */
  readonly isOffline?: boolean;
  /** It is to change nothing of what the loop works on. */
  readonly onlyReads?: boolean;
}

export interface EnclosedCommand {
  readonly argv: readonly [string, ...string[]];
  /** To be called once it has ended: when this is through, what it was refused is reported and what it planted is in quarantine. */
  ended(): Promise<void>;
}

/** A command whose end is seen to by a process of its own. */
export function selfContained(argv: readonly [string, ...string[]]): EnclosedCommand {
  return { argv, ended: async () => undefined };
}

/** Runs a command, put into an enclosure where there is one, and sees to its end. */
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
  // A copy: the process's own is asked name by name, which every start of a program would pay for.
  return { containment: containmentOf(level), env: { ...env }, mask: maskFor(env) };
}
