/** The sandbox runtime as a loop's policy sets it up: for the process around one program, and for the helper of a loop. */
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
  /** No /proc of its own: where the kernel, as in a container, does not let one be made. */
  readonly sharesProc: boolean;
  /** What each path that may be written was when the loop began. An earlier version did not keep it. */
  readonly leadsTo?: Readonly<Record<string, string>>;
}

/** Of the runtime, in every sandbox that has a network of its own. */
export const PROXY_PORT = 3128;
/** The same for programs that speak SOCKS. */
export const SOCKS_PORT = 1080;

/** Our own file: its writer is the type's. */
export function readRuntimePolicy(file: string): RuntimePolicy {
  const kept = JSON.parse(readFileSync(file, 'utf8')) as RuntimePolicy;
  const { runtime }: Partial<LoopPolicy> = kept.policy;
  if (runtime !== undefined) return kept;
  // Its supervisor was started before this program was replaced, and knows no place where the sandbox's files are safe.
  const hint = 'Stop the loop and resume it.';
  throw new RalphError('SANDBOX', 'the loop was started by an earlier version of ralph', { hint, exitCode: 125 });
}

/** Makes this process one whose runtime leaves its files where no program may write. `inside`: variables for the program. */
export function enterRuntime(policy: LoopPolicy, env: NodeJS.ProcessEnv) {
  const inside = variablesInside(env);
  // The runtime's own programs are looked for there, too.
  env.PATH = ownPath(env.PATH ?? '', policy);
  // Its sockets and ours lie where no program may write; programs get their own by the variable that it hands on.
  env.TMPDIR = policy.runtime;
  env.CLAUDE_CODE_TMPDIR = policy.temp;
  const folder = mkdtempSync(join(policy.runtime, 'run-'));
  // The runtime guards dot files of the folder it is called in, and makes them where they are not: not in a work tree.
  process.chdir(folder);
  return { folder, inside, path: env.PATH };
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

export function runtimeConfig(
  { policy, sharesProc }: RuntimePolicy,
  writes: readonly string[] = [],
): SandboxRuntimeConfig {
  // The runtime takes the loopback by its number only.
  const allowedDomains = policy.hosts.map((host) => host.replace(/^localhost:/, '127.0.0.1:'));
  const writable = [...mounted(policy), ...writes];
  // On Linux they are not even mounted (`adjusted`).
  const unasked = process.platform === 'linux' ? [] : unaskedWrites(policy);
  return {
    network: { allowedDomains, deniedDomains: [], strictAllowlist: true },
    filesystem: {
      denyRead: [...policy.unreadable],
      allowRead: [...policy.shown, ...writes],
      allowWrite: writable,
      // What is denied buries what may be written within.
      denyWrite: [...policy.readOnly, ...unasked.filter((path) => !writable.some((one) => isUnder(one, path)))],
    },
    enableWeakerNestedSandbox: sharesProc,
  };
}

/** What the runtime lets be written of its own accord, wherever it is there: shared with other programs of this user. */
export function unaskedWrites(policy: Pick<SandboxPolicy, 'writable' | 'readOnly'>): string[] {
  return getDefaultWritePaths().filter((path) => !isUnder(path, '/dev') && !mayWrite(policy, path));
}

export function adjusted(
  wrapped: string,
  policy: Pick<SandboxPolicy, 'writable' | 'readOnly'>,
  ownTerminal = false,
): string {
  if (process.platform !== 'linux') return wrapped;
  // Where the runtime does not find its filter, it makes a sandbox without one and says nothing.
  if (!wrapped.includes('/apply-seccomp')) throw new Error('its filter of system calls (apply-seccomp) is missing');
  // The runtime leaves the programs the shared memory and the queues of all others of this user, and their keys.
  const alone = exchanged(wrapped, ' --unshare-pid ', ` --unshare-pid --unshare-ipc --seccomp ${FILTER_FD} `);
  const asked = unaskedWrites(policy).reduce((words, path) => words.replace(bindAsWritten(path), ' '), alone);
  // It takes the terminal away, because a program could type into it for the next reader. In a pane of its own there is none,
  // and without a terminal there would be no Ctrl-C and no word of a new size.
  return ownTerminal ? exchanged(asked, ' --new-session ', ' ') : asked;
}

/** In the runtime's own quotes. */
function bindAsWritten(path: string): string {
  const word = /^[\w./:@+,-]+$/.test(path) ? path : `'${path.replaceAll("'", `'"'"'`)}'`;
  return ` --bind ${word} ${word} `;
}

/** What is started reads it from there (`FILTER_FD`). */
export function writeFilter(folder: string): string {
  const file = join(folder, 'filter');
  writeFile(file, process.platform === 'linux' ? secondFilter() : '', { mode: 0o600 });
  return file;
}

/** Null where the runtime's is good enough. */
export function procOf(sharesProc: boolean, folder: string): ReturnType<typeof rootProc> | null {
  if (process.platform !== 'linux' || process.geteuid?.() !== 0) return null;
  const machine = join(folder, 'machine');
  mkdirSync(machine);
  return rootProc(sharesProc, machine);
}

/** On macOS a sandbox shares the machine's loopback, and without namespaces the runner that ends the run finds what is left. */
export function platformOptions({ hosts }: LoopPolicy, grace: number): Pick<InsideOptions, 'loopback' | 'seeOff'> {
  if (process.platform !== 'linux') return { loopback: null, seeOff: null };
  const seeOff = grace > 0 ? { grace, outside: readlinkSync('/proc/self/ns/pid') } : null;
  return { loopback: { ports: loopbackPorts(hosts), proxy: PROXY_PORT }, seeOff };
}

/** What the runtime has noted down, where a person could do something about it. */
export function reportable(line: string, policy: LoopPolicy): Refusal | null {
  const refusal = refusalFrom(line, policy, existsSync);
  return refusal?.what === 'write' && leadsWhereItMayWrite(refusal.target, policy) ? null : refusal;
}

/** The runtime goes by the name that a program used; a link may lead to where it may write. */
function leadsWhereItMayWrite(path: string, { writable, readOnly }: SandboxPolicy): boolean {
  const { leadsTo, links } = followLinks(path);
  const isIn = (folder: string): boolean => isUnder(leadsTo, folder);
  return links.length > 0 && writable.some(isIn) && !readOnly.some(isIn);
}

/** A program that meets a wall again and again says so more than often enough. */
export const MOST_REFUSALS = 200;

export function noteOnce(file: string, most = Number.POSITIVE_INFINITY): (refusal: Refusal) => void {
  const noted = new Set<string>();
  return (refusal) => {
    if (noted.has(refusal.target) || noted.size >= most) return;
    noted.add(refusal.target);
    keepRefusal(file, refusal);
  };
}
