/** `ralph sandbox-exec`: the process between a loop and a program that runs in the operating system's sandbox. */
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { readEnvironment } from '../config/environment.ts';
import { RalphError } from '../core/error.ts';
import { type InsideRun, runInside } from '../runners/sandbox/inside.ts';
import { asideFolder, RUN_BY_SHELLS, takeInside } from '../runners/sandbox/own-environment.ts';

export interface SandboxExecFlags {
  /** Written by the loop, in a folder that is private to the user. */
  readonly policy: string;
  readonly refusals: string;
  readonly write?: readonly string[];
  readonly ownTerminal?: boolean;
  /** In milliseconds. */
  readonly grace?: string;
}

export async function sandboxExecCommand(flags: SandboxExecFlags, argv: readonly string[]): Promise<number> {
  // Our own file: its writer is the type's.
  const kept = JSON.parse(readFileSync(flags.policy, 'utf8')) as Pick<InsideRun, 'policy' | 'sharesProc'>;
  refuseEarlier(kept.policy);
  const { refusals, write: writes = [], ownTerminal = false, grace = '0' } = flags;
  const { variables: env } = readEnvironment();
  const aside = asideFolder(dirname(flags.policy));
  const own = { refusals, writes, ownTerminal, grace: Number(grace), env, aside };
  try {
    return await runInside({ ...kept, argv, cwd: process.cwd(), inside: insideOf(env), ...own });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const hint = 'Without a sandbox: --no-sandbox.';
    throw new RalphError('SANDBOX', `the sandbox cannot be made: ${reason}`, { hint, exitCode: 125 });
  }
}

/** The shells around the program, of which some are outside, run nothing of the user's at their start. */
function insideOf(env: NodeJS.ProcessEnv): Record<string, string> {
  const inside = takeInside(env);
  for (const name of RUN_BY_SHELLS) {
    const value = env[name];
    if (value !== undefined) inside[name] = value;
    delete env[name];
  }
  return inside;
}

/** Its supervisor was started before this program was replaced, and knows no place where the sandbox's files are safe. */
function refuseEarlier({ runtime }: Partial<InsideRun['policy']>): void {
  if (runtime !== undefined) return;
  const hint = 'Stop the loop and resume it.';
  throw new RalphError('SANDBOX', 'the loop was started by an earlier version of ralph', { hint, exitCode: 125 });
}
