/**
 * Runs one program in the operating system's sandbox and sees it to its end. A process of its own, because the sandbox
 * runtime keeps its policy and its proxies in the module: they are born, and die, with this run.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readlinkSync, rmSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { SandboxManager, type SandboxRuntimeConfig } from '@anthropic-ai/sandbox-runtime';
import { shellQuote } from '../../core/text/quote-word.ts';
import type { Duration } from '../../core/time.ts';
import { writeFile } from '../../process/files.ts';
import { loopbackPorts } from './hosts.ts';
import { insideScript, type Loopback, type SeeOff } from './inside-script.ts';
import { ownPath } from './own-environment.ts';
import { isUnder, type LoopPolicy, mounted, type SandboxPolicy } from './policy.ts';
import { exchanged, type RootProc, rootProc } from './proc.ts';
import { putAside, watchVacant } from './quarantine.ts';
import { keepRefusal, type Refusal, refusalFrom } from './refusals.ts';

export interface InsideRun {
  readonly policy: LoopPolicy;
  /** No /proc of its own: where the kernel, as in a container, does not let one be made. */
  readonly sharesProc: boolean;
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly refusals: string;
  /** Files of ours that the program may write all the same. */
  readonly writes: readonly string[];
  /** The terminal is the program's alone: nothing reads there after it. */
  readonly ownTerminal: boolean;
  /** Of what the program leaves behind. */
  readonly grace: Duration;
  /** Variables that the program has, and the processes around it have not. */
  readonly inside: Readonly<Record<string, string>>;
  readonly env: NodeJS.ProcessEnv;
  readonly aside: string;
}

/** A program that meets a wall again and again says so more than often enough. */
const MOST_REFUSALS = 200;
/** What was refused last is told on a socket that we may not have read yet. */
const LAST_WORDS_TAKE = 10;
/** Any name will do; it has no blanks or signs that would have to be escaped in a proxy's address. */
const COMMAND_ID = 'ralph1';
/** Of the runtime, in every sandbox that has a network of its own. */
const PROXY_PORT = 3128;

export async function runInside(run: InsideRun): Promise<number> {
  // The runtime's own programs are looked for there, too.
  run.env.PATH = ownPath(run.env.PATH ?? '', run.policy);
  // Its sockets and ours lie where no program may write; programs get their own by the variable that it hands on.
  run.env.TMPDIR = run.policy.runtime;
  run.env.CLAUDE_CODE_TMPDIR = run.policy.temp;
  const folder = mkdtempSync(join(run.policy.runtime, 'run-'));
  // The runtime guards dot files of the folder it is called in, and makes them where they are not: not in a work tree.
  process.chdir(folder);
  const config = configOf(run);
  await SandboxManager.initialize(config, undefined, true);
  tellRefusals(run);
  const keepsAsked = hasDefaultSignal();
  const script = join(folder, 'program');
  const { argv, ownTerminal, inside } = run;
  const proc = procOf(run, folder);
  const seal = proc?.seal ?? null;
  const around = { loopback: loopbackOf(run), seal, keepsAsked, ownTerminal, seeOff: seeOffOf(run), env: inside };
  writeFile(script, insideScript(argv, around), { mode: 0o600 });
  const wrapped = await SandboxManager.wrapWithSandbox(
    `exec bash ${shellQuote(script)}`,
    undefined,
    undefined,
    undefined,
    { commandId: COMMAND_ID },
  );
  const guard = guardVacant(run);
  try {
    const settled = withOwnIpc(proc?.within(wrapped) ?? wrapped);
    return await seeToEnd(ownTerminal ? inThisSession(settled) : settled, run.cwd, keepsAsked);
  } finally {
    guard.close();
    SandboxManager.cleanupAfterCommand();
    await sleep(LAST_WORDS_TAKE);
    await SandboxManager.reset();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What is planted is put aside at once, and whatever is left of it when the program has ended. */
function guardVacant({ policy, aside, refusals }: InsideRun): { close(): void } {
  const note = noteOnce(refusals);
  const look = (): void => putAside(policy, aside).forEach(note);
  const watcher = watchVacant(policy, look);
  return {
    close() {
      watcher.close();
      look();
    },
  };
}

/** The runtime leaves the programs the shared memory and the queues of all others of this user. */
function withOwnIpc(wrapped: string): string {
  if (process.platform !== 'linux') return wrapped;
  return exchanged(wrapped, ' --unshare-pid ', ' --unshare-pid --unshare-ipc ');
}

/**
 * The runtime takes the terminal away, because a program could type into it for the next reader. In a pane of its own there
 * is none, and without a terminal there would be no Ctrl-C and no word of a new size.
 */
function inThisSession(wrapped: string): string {
  if (process.platform !== 'linux') return wrapped;
  return exchanged(wrapped, ' --new-session ', ' ');
}

/** Null where the runtime's is good enough. */
function procOf({ sharesProc }: InsideRun, folder: string): RootProc | null {
  if (process.platform !== 'linux' || process.geteuid?.() !== 0) return null;
  const machine = join(folder, 'machine');
  mkdirSync(machine);
  return rootProc(sharesProc, machine);
}

/** Without namespaces, on macOS, the runner that ends the run finds them. */
function seeOffOf({ grace }: InsideRun): SeeOff | null {
  if (process.platform !== 'linux' || !(grace > 0)) return null;
  return { grace, outside: readlinkSync('/proc/self/ns/pid') };
}

/** On macOS a sandbox shares the machine's. */
function loopbackOf({ policy }: InsideRun): Loopback | null {
  return process.platform === 'linux' ? { ports: loopbackPorts(policy.hosts), proxy: PROXY_PORT } : null;
}

function configOf({ policy, sharesProc, writes }: InsideRun): SandboxRuntimeConfig {
  const { readOnly, unreadable, shown, hosts } = policy;
  return {
    network: { allowedDomains: withLoopback(hosts), deniedDomains: [], strictAllowlist: true },
    filesystem: {
      denyRead: [...unreadable],
      allowRead: [...shown, ...writes],
      allowWrite: [...mounted(policy), ...writes],
      denyWrite: [...readOnly],
    },
    enableWeakerNestedSandbox: sharesProc,
  };
}

/** The runtime takes the loopback by its number only. */
function withLoopback(hosts: readonly string[]): string[] {
  return hosts.map((host) => host.replace(/^localhost:/, '127.0.0.1:'));
}

/**
 * A run is ended by asking all its processes at once. Those around the program must not go before it, or it would be
 * killed in the middle of its goodbye: they do not hear, and the program hears again.
 */
async function seeToEnd(wrapped: string, cwd: string, keepsAsked: boolean): Promise<number> {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
    process.removeAllListeners(signal);
    process.on(signal, () => {
      // The program was asked, too; its end is ours.
    });
  }
  const child = spawn('sh', ['-c', `${keepsAsked ? 'trap "" TERM; ' : ''}exec bash -c "$0"`, wrapped], {
    cwd,
    stdio: 'inherit',
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal])));
  });
}

function tellRefusals({ refusals, policy }: InsideRun): void {
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

function hasDefaultSignal(): boolean {
  return spawnSync('env', ['--default-signal=TERM', 'true'], { stdio: 'ignore' }).status === 0;
}
