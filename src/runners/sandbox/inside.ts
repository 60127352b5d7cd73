/** Runs one program in the sandbox, in a process that handles its end: on a Mac, and for what outlives a loop. */
import { spawn, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SandboxManager } from '@anthropic-ai/sandbox-runtime';
import { RalphError } from '../../core/error.ts';
import { shellQuote } from '../../core/text/quote-word.ts';
import { writeFile } from '../../process/files.ts';
import { refuseExchanged } from './helper/binds.ts';
import { bindsIn, wordsOf } from './helper/bwrap-words.ts';
import { insideScript } from './inside-script.ts';
import { listedBinds } from './mount-check.ts';
import { quarantineFolder } from './own-environment.ts';
import { type LoopPolicy, readingPolicy } from './policy.ts';
import { quarantine, watchVacant } from './refusals.ts';
import {
  adjusted,
  enterRuntime,
  MOST_REFUSALS,
  noteOnce,
  platformOptions,
  procOf,
  type RuntimePolicy,
  readRuntimePolicy,
  reportable,
  runtimeConfig,
  writeFilter,
} from './runtime.ts';
import { FILTER_FD } from './second-filter.ts';

export interface SandboxExecFlags {
  /** Written by the loop, in a folder that is private to the user. */
  readonly policy: string;
  readonly refusals: string;
  readonly write?: readonly string[];
  /** The terminal belongs to the program alone: nothing reads from it afterwards. */
  readonly ownTerminal?: boolean;
  /** Nothing that the loop works on can be written. */
  readonly onlyReads?: boolean;
  readonly grace?: string;
}

/** The last refusals come through a socket that we may not have read yet. */
const LAST_WORDS_TAKE = 10;
/** Any name will do that needs no escaping in a proxy's address. */
const COMMAND_ID = 'ralph1';

export async function sandboxExec(flags: SandboxExecFlags, argv: readonly string[], env: NodeJS.ProcessEnv) {
  const kept = readRuntimePolicy(flags.policy);
  const own = flags.onlyReads === true ? { ...kept, policy: readingPolicy(kept.policy) } : kept;
  try {
    return await runInside(own, flags, argv, env);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const hint = 'Without a sandbox: --no-sandbox.';
    throw new RalphError('SANDBOX', `the sandbox cannot be made: ${reason}`, { hint, exitCode: 125 });
  }
}

async function runInside(
  kept: RuntimePolicy,
  flags: SandboxExecFlags,
  argv: readonly string[],
  env: NodeJS.ProcessEnv,
) {
  const { policy, sharesProc } = kept;
  const { refusals, ownTerminal = false } = flags;
  refuseExchanged(kept.leadsTo ?? {});
  const cwd = process.cwd();
  const { folder, inside } = enterRuntime(policy, env);
  await SandboxManager.initialize(runtimeConfig(kept, flags.write), undefined, true);
  tellRefusals(refusals, policy);
  const keepsAsked = spawnSync('env', ['--default-signal=TERM', 'true'], { stdio: 'ignore' }).status === 0;
  const script = join(folder, 'program');
  const proc = procOf(sharesProc, folder);
  const around = { ...platformOptions(policy, Number(flags.grace ?? 0)), seal: proc?.seal ?? null, env: inside };
  const call = { commandId: COMMAND_ID };
  const program = `exec bash ${shellQuote(script)}`;
  const wrapped = await SandboxManager.wrapWithSandbox(program, undefined, undefined, undefined, call);
  // What is planted is quarantined at once, and whatever is left of it when the program has ended.
  const note = noteOnce(refusals);
  const look = (): void => quarantine(policy, quarantineFolder(dirname(flags.policy))).forEach(note);
  const unwatch = watchVacant(policy, look);
  try {
    const words = adjusted(proc?.within(wrapped) ?? wrapped, policy, ownTerminal);
    const mounts = process.platform === 'linux' ? listedBinds(bindsIn(wordsOf(words)), policy.runtime) : [];
    writeFile(script, insideScript(argv, { ...around, mounts, keepsAsked, ownTerminal }), { mode: 0o600 });
    return await seeToEnd(words, { cwd, keepsAsked, filter: writeFilter(folder) });
  } finally {
    unwatch();
    look();
    SandboxManager.cleanupAfterCommand();
    await sleep(LAST_WORDS_TAKE);
    await SandboxManager.reset();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Around {
  readonly cwd: string;
  readonly keepsAsked: boolean;
  readonly filter: string;
}

/** SIGTERM goes to all processes of a run at once. Those around the program ignore it: their end would kill it. */
async function seeToEnd(wrapped: string, { cwd, keepsAsked, filter }: Around): Promise<number> {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.removeAllListeners(signal);
    process.on(signal, () => {
      // The program got it, too; when it ends, so do we.
    });
  }
  const deaf = keepsAsked ? 'trap "" TERM; ' : '';
  const script = `${deaf}exec bash -c "$0" ${FILTER_FD}<"$1"`;
  const child = spawn('sh', ['-c', script, wrapped, filter], { cwd, stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}

function tellRefusals(refusals: string, policy: LoopPolicy): void {
  const note = noteOnce(refusals, MOST_REFUSALS);
  SandboxManager.getSandboxViolationStore().subscribe((violations) => {
    for (const { line } of violations) {
      const refusal = reportable(line, policy);
      if (refusal !== null) note(refusal);
    }
  });
}
