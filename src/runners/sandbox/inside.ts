/** Runs one program in the sandbox. A process of its own: the runtime keeps its policy and proxies in the module. */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SandboxManager, type SandboxRuntimeConfig } from '@anthropic-ai/sandbox-runtime';
import { RalphError } from '../../core/error.ts';
import { shellQuote } from '../../core/text/quote-word.ts';
import { writeFile } from '../../process/files.ts';
import { exchanged, type InsideOptions, insideScript, rootProc } from './inside-script.ts';
import { ownPath, quarantineFolder, RUN_BY_SHELLS, takeInside } from './own-environment.ts';
import { isUnder, type LoopPolicy, mounted, type SandboxPolicy } from './policy.ts';
import { keepRefusal, quarantine, type Refusal, refusalFrom, watchVacant } from './refusals.ts';
import { loopbackPorts } from './request.ts';

export interface SandboxExecFlags {
  /** Written by the loop, in a folder that is private to the user. */
  readonly policy: string;
  readonly refusals: string;
  readonly write?: readonly string[];
  /** The terminal is the program's alone: nothing reads there after it. */
  readonly ownTerminal?: boolean;
  readonly grace?: string;
}

interface Kept {
  readonly policy: LoopPolicy;
  /** No /proc of its own: where the kernel, as in a container, does not let one be made. */
  readonly sharesProc: boolean;
}

/** A program that meets a wall again and again says so more than often enough. */
const MOST_REFUSALS = 200;
/** What was refused last is told on a socket that we may not have read yet. */
const LAST_WORDS_TAKE = 10;
/** Any name will do; it has no blanks or signs that would have to be escaped in a proxy's address. */
const COMMAND_ID = 'ralph1';
/** Of the runtime, in every sandbox that has a network of its own. */
const PROXY_PORT = 3128;

export async function sandboxExec(flags: SandboxExecFlags, argv: readonly string[], env: NodeJS.ProcessEnv) {
  // Our own file: its writer is the type's.
  const kept = JSON.parse(readFileSync(flags.policy, 'utf8')) as Kept;
  const { runtime }: Partial<LoopPolicy> = kept.policy;
  if (runtime === undefined) {
    // Its supervisor was started before this program was replaced, and knows no place where the sandbox's files are safe.
    const hint = 'Stop the loop and resume it.';
    throw new RalphError('SANDBOX', 'the loop was started by an earlier version of ralph', { hint, exitCode: 125 });
  }
  try {
    return await runInside(kept, flags, argv, env);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    const hint = 'Without a sandbox: --no-sandbox.';
    throw new RalphError('SANDBOX', `the sandbox cannot be made: ${reason}`, { hint, exitCode: 125 });
  }
}

async function runInside(kept: Kept, flags: SandboxExecFlags, argv: readonly string[], env: NodeJS.ProcessEnv) {
  const { policy, sharesProc } = kept;
  const { refusals, ownTerminal = false } = flags;
  const cwd = process.cwd();
  const inside = variablesInside(env);
  // The runtime's own programs are looked for there, too.
  env.PATH = ownPath(env.PATH ?? '', policy);
  // Its sockets and ours lie where no program may write; programs get their own by the variable that it hands on.
  env.TMPDIR = policy.runtime;
  env.CLAUDE_CODE_TMPDIR = policy.temp;
  const folder = mkdtempSync(join(policy.runtime, 'run-'));
  // The runtime guards dot files of the folder it is called in, and makes them where they are not: not in a work tree.
  process.chdir(folder);
  await SandboxManager.initialize(configOf(policy, sharesProc, flags.write ?? []), undefined, true);
  tellRefusals(refusals, policy);
  const keepsAsked = spawnSync('env', ['--default-signal=TERM', 'true'], { stdio: 'ignore' }).status === 0;
  const script = join(folder, 'program');
  const proc = procOf(sharesProc, folder);
  const around = { ...platformOptions(policy, Number(flags.grace ?? 0)), seal: proc?.seal ?? null, env: inside };
  writeFile(script, insideScript(argv, { ...around, keepsAsked, ownTerminal }), { mode: 0o600 });
  const call = { commandId: COMMAND_ID };
  const program = `exec bash ${shellQuote(script)}`;
  const wrapped = await SandboxManager.wrapWithSandbox(program, undefined, undefined, undefined, call);
  // What is planted is put aside at once, and whatever is left of it when the program has ended.
  const note = noteOnce(refusals);
  const look = (): void => quarantine(policy, quarantineFolder(dirname(flags.policy))).forEach(note);
  const unwatch = watchVacant(policy, look);
  try {
    return await seeToEnd(adjusted(proc?.within(wrapped) ?? wrapped, ownTerminal), cwd, keepsAsked);
  } finally {
    unwatch();
    look();
    SandboxManager.cleanupAfterCommand();
    await sleep(LAST_WORDS_TAKE);
    await SandboxManager.reset();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The shells around the program, of which some are outside, run nothing of the user's at their start. */
function variablesInside(env: NodeJS.ProcessEnv): Record<string, string> {
  const inside = takeInside(env);
  for (const name of RUN_BY_SHELLS) {
    const value = env[name];
    if (value !== undefined) inside[name] = value;
    delete env[name];
  }
  return inside;
}

function adjusted(wrapped: string, ownTerminal: boolean): string {
  if (process.platform !== 'linux') return wrapped;
  // The runtime leaves the programs the shared memory and the queues of all others of this user.
  const alone = exchanged(wrapped, ' --unshare-pid ', ' --unshare-pid --unshare-ipc ');
  // It takes the terminal away, because a program could type into it for the next reader. In a pane of its own there is none,
  // and without a terminal there would be no Ctrl-C and no word of a new size.
  return ownTerminal ? exchanged(alone, ' --new-session ', ' ') : alone;
}

/** Null where the runtime's is good enough. */
function procOf(sharesProc: boolean, folder: string): ReturnType<typeof rootProc> | null {
  if (process.platform !== 'linux' || process.geteuid?.() !== 0) return null;
  const machine = join(folder, 'machine');
  mkdirSync(machine);
  return rootProc(sharesProc, machine);
}

/** On macOS a sandbox shares the machine's loopback, and without namespaces the runner that ends the run finds what is left. */
function platformOptions({ hosts }: LoopPolicy, grace: number): Pick<InsideOptions, 'loopback' | 'seeOff'> {
  if (process.platform !== 'linux') return { loopback: null, seeOff: null };
  const seeOff = grace > 0 ? { grace, outside: readlinkSync('/proc/self/ns/pid') } : null;
  return { loopback: { ports: loopbackPorts(hosts), proxy: PROXY_PORT }, seeOff };
}

function configOf(policy: LoopPolicy, sharesProc: boolean, writes: readonly string[]): SandboxRuntimeConfig {
  // The runtime takes the loopback by its number only.
  const allowedDomains = policy.hosts.map((host) => host.replace(/^localhost:/, '127.0.0.1:'));
  return {
    network: { allowedDomains, deniedDomains: [], strictAllowlist: true },
    filesystem: {
      denyRead: [...policy.unreadable],
      allowRead: [...policy.shown, ...writes],
      allowWrite: [...mounted(policy), ...writes],
      denyWrite: [...policy.readOnly],
    },
    enableWeakerNestedSandbox: sharesProc,
  };
}

/** All processes of a run are asked to end at once. Those around the program do not hear it: their end would kill it. */
async function seeToEnd(wrapped: string, cwd: string, keepsAsked: boolean): Promise<number> {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.removeAllListeners(signal);
    process.on(signal, () => {
      // The program was asked, too; its end is ours.
    });
  }
  const deaf = keepsAsked ? 'trap "" TERM; ' : '';
  const child = spawn('sh', ['-c', `${deaf}exec bash -c "$0"`, wrapped], { cwd, stdio: 'inherit' });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}

function tellRefusals(refusals: string, policy: LoopPolicy): void {
  const note = noteOnce(refusals, MOST_REFUSALS);
  SandboxManager.getSandboxViolationStore().subscribe((violations) => {
    for (const { line } of violations) {
      const refusal = refusalFrom(line, policy, existsSync);
      if (refusal === null || (refusal.what === 'write' && leadsWhereItMayWrite(refusal.target, policy))) continue;
      note(refusal);
    }
  });
}

function noteOnce(file: string, most = Number.POSITIVE_INFINITY): (refusal: Refusal) => void {
  const noted = new Set<string>();
  return (refusal) => {
    if (noted.has(refusal.target) || noted.size >= most) return;
    noted.add(refusal.target);
    keepRefusal(file, refusal);
  };
}

/** The runtime goes by the name that a program used; a link of ours may lead to where it may write. */
function leadsWhereItMayWrite(path: string, { writable, readOnly }: SandboxPolicy): boolean {
  try {
    const target = resolve(dirname(path), readlinkSync(path));
    return writable.some((folder) => isUnder(target, folder)) && !readOnly.some((folder) => isUnder(target, folder));
  } catch {
    // No link, as a rule: then it is what it is called.
    return false;
  }
}
