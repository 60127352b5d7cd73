/** Sets up the sandbox runtime for a loop's policy: in the process around one program, and in a loop's helper. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { getDefaultWritePaths, type SandboxRuntimeConfig } from '@anthropic-ai/sandbox-runtime';
import { RalphError } from '../../core/error.ts';
import { followLinks, writeFile } from '../../process/files.ts';
import { exchanged, type InsideOptions, rootProc } from './inside-script.ts';
import { mayWrite, ownPath, RUN_BY_SHELLS, takeInside } from './own-environment.ts';
import { isUnder, type LoopPolicy, mounted, type SandboxPolicy } from './policy.ts';
import { keepRefusal, type Refusal, refusalFrom } from './refusals.ts';
import { loopbackPorts } from './request.ts';
import { FILTER_FD, secondFilter } from './second-filter.ts';

export interface RuntimePolicy {
  readonly policy: LoopPolicy;
  /** No /proc of its own, if the kernel does not allow one, as in a container. */
  readonly sharesProc: boolean;
  /** Where each writable path led when the loop began. Earlier versions did not store it. */
  readonly leadsTo?: Readonly<Record<string, string>>;
}

/** The port of the runtime's proxy in every sandbox that has a network of its own. */
export const PROXY_PORT = 3128;
/** The same for programs that speak SOCKS. */
export const SOCKS_PORT = 1080;

/** Our own file, so the cast is safe. */
export function readRuntimePolicy(file: string): RuntimePolicy {
  const kept = JSON.parse(readFileSync(file, 'utf8')) as RuntimePolicy;
  const { runtime }: Partial<LoopPolicy> = kept.policy;
  if (runtime !== undefined) return kept;
  // Its supervisor was started by an earlier version, which has no place where the sandbox's files are safe.
  const hint = 'Stop the loop and resume it.';
  throw new RalphError('SANDBOX', 'the loop was started by an earlier version of ralph', { hint, exitCode: 125 });
}

/**
 * Prepares this process for the runtime: its files must be where no program can write. `inside`: the program's
 * variables.
 */
export function enterRuntime(policy: LoopPolicy, env: NodeJS.ProcessEnv) {
  const inside = variablesInside(env);
  // The runtime looks there for its own programs, too.
  env.PATH = ownPath(env.PATH ?? '', policy);
  // The runtime's sockets and ours are where no program can write; programs get a TMPDIR of their own by the second
  // variable.
  env.TMPDIR = policy.runtime;
  env.CLAUDE_CODE_TMPDIR = policy.temp;
  const folder = mkdtempSync(join(policy.runtime, 'run-'));
  // The runtime guards dot files of its working folder, and creates those that are missing: not in a work tree.
  process.chdir(folder);
  return { folder, inside, path: env.PATH };
}

/** The shells around the program, some of which are outside, must run nothing of the user's at their start. */
function variablesInside(env: NodeJS.ProcessEnv): Record<string, string> {
  const inside = takeInside(env);
  for (const name of RUN_BY_SHELLS) {
    const value = env[name];
    if (value !== undefined) inside[name] = value;
    delete env[name];
  }
  return inside;
}

export function runtimeConfig(
  { policy, sharesProc }: RuntimePolicy,
  writes: readonly string[] = [],
): SandboxRuntimeConfig {
  // The runtime accepts the loopback only by its number.
  const allowedDomains = policy.hosts.map((host) => host.replace(/^localhost:/, '127.0.0.1:'));
  const writable = [...mounted(policy), ...writes];
  // On Linux these are not even mounted (`adjusted`).
  const unasked = process.platform === 'linux' ? [] : unaskedWrites(policy);
  return {
    network: { allowedDomains, deniedDomains: [], strictAllowlist: true },
    filesystem: {
      denyRead: [...policy.unreadable],
      allowRead: [...policy.shown, ...writes],
      allowWrite: writable,
      // A denied path would bury writable paths within it.
      denyWrite: [...policy.readOnly, ...unasked.filter((path) => !writable.some((one) => isUnder(one, path)))],
    },
    enableWeakerNestedSandbox: sharesProc,
  };
}

/** What the runtime makes writable by default, if it exists: other programs of this user share it. */
export function unaskedWrites(policy: Pick<SandboxPolicy, 'writable' | 'readOnly'>): string[] {
  return getDefaultWritePaths().filter((path) => !isUnder(path, '/dev') && !mayWrite(policy, path));
}

export function adjusted(
  wrapped: string,
  policy: Pick<SandboxPolicy, 'writable' | 'readOnly'>,
  ownTerminal = false,
): string {
  if (process.platform !== 'linux') return wrapped;
  // If the runtime does not find its filter, it silently makes a sandbox without one.
  if (!wrapped.includes('/apply-seccomp')) throw new Error('its filter of system calls (apply-seccomp) is missing');
  // The runtime leaves programs access to the shared memory, queues and keys of the user's other programs.
  const alone = exchanged(wrapped, ' --unshare-pid ', ` --unshare-pid --unshare-ipc --seccomp ${FILTER_FD} `);
  const asked = unaskedWrites(policy).reduce((words, path) => words.replace(bindAsWritten(path), ' '), alone);
  // The runtime takes the terminal away, because a program could type into it for the next reader. A pane of its own
  // has no next reader, and without a terminal there would be no Ctrl-C and no change of size.
  return ownTerminal ? exchanged(asked, ' --new-session ', ' ') : asked;
}

/** Quoted as the runtime does. */
function bindAsWritten(path: string): string {
  const word = /^[\w./:@+,-]+$/.test(path) ? path : `'${path.replaceAll("'", `'"'"'`)}'`;
  return ` --bind ${word} ${word} `;
}

/** The program's sandbox reads it as `FILTER_FD`. */
export function writeFilter(folder: string): string {
  const file = join(folder, 'filter');
  writeFile(file, process.platform === 'linux' ? secondFilter() : '', { mode: 0o600 });
  return file;
}

/** Null if the runtime's own is good enough. */
export function procOf(sharesProc: boolean, folder: string): ReturnType<typeof rootProc> | null {
  if (process.platform !== 'linux' || process.geteuid?.() !== 0) return null;
  const machine = join(folder, 'machine');
  mkdirSync(machine);
  return rootProc(sharesProc, machine);
}

/** On macOS, a sandbox shares the machine's loopback, and the runner that ends the run finds what is left. */
export function platformOptions({ hosts }: LoopPolicy, grace: number): Pick<InsideOptions, 'loopback' | 'seeOff'> {
  if (process.platform !== 'linux') return { loopback: null, seeOff: null };
  const seeOff = grace > 0 ? { grace, outside: readlinkSync('/proc/self/ns/pid') } : null;
  return { loopback: { ports: loopbackPorts(hosts), proxy: PROXY_PORT }, seeOff };
}

/** What the runtime has logged, if a person could do something about it. */
export function reportable(line: string, policy: LoopPolicy): Refusal | null {
  const refusal = refusalFrom(line, policy, existsSync);
  return refusal?.what === 'write' && leadsWhereItMayWrite(refusal.target, policy) ? null : refusal;
}

/** The runtime logs the name that a program used; that may be a link to a writable path. */
function leadsWhereItMayWrite(path: string, { writable, readOnly }: SandboxPolicy): boolean {
  const { leadsTo, links } = followLinks(path);
  const isIn = (folder: string): boolean => isUnder(leadsTo, folder);
  return links.length > 0 && writable.some(isIn) && !readOnly.some(isIn);
}

/** More is not useful: a program that is refused often repeats itself. */
export const MOST_REFUSALS = 200;

export function noteOnce(file: string, most = Number.POSITIVE_INFINITY): (refusal: Refusal) => void {
  const noted = new Set<string>();
  return (refusal) => {
    if (noted.has(refusal.target) || noted.size >= most) return;
    noted.add(refusal.target);
    keepRefusal(file, refusal);
  };
}
