/** The operating system's sandbox for one loop: its policy on disk, and the command that puts a program into it. */
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { RalphError } from '../core/error.ts';
import type { Enclosure } from '../process/host.ts';
import { findProgram } from '../process/which.ts';
import { policyFacts, type SandboxPlace } from './sandbox/facts.ts';
import { type SandboxPolicy, type SandboxWish, sandboxPolicy } from './sandbox/policy.ts';
import { repositoryWatch } from './sandbox/repository-watch.ts';

export interface OsSandbox extends Enclosure {
  readonly policy: SandboxPolicy;
  /** Its temporary files are thrown away. */
  close(): void;
}

export interface OsSandboxOptions extends SandboxPlace {
  readonly wish: SandboxWish;
  /** The loop's own folder, which is private to the user. */
  readonly folder: string;
  /** The command line that starts this program. */
  readonly self: readonly [string, ...string[]];
}

/** What the sandbox of this machine is like, or why there is none. */
export type OsSandboxSupport =
  | { readonly works: true; readonly sharesProc: boolean }
  | { readonly works: false; readonly reason: string; readonly hint: string };

/** Debian's names for the packages are these, but for the last: ripgrep. */
const PROGRAMS = { linux: ['bwrap', 'socat', 'rg'], darwin: ['sandbox-exec', 'rg'] } as const;
const INSTALL = {
  linux: 'Install them, on Debian with: apt-get install bubblewrap socat ripgrep',
  darwin: 'Install ripgrep: brew install ripgrep',
} as const;

export function osSandboxSupport(env: NodeJS.ProcessEnv): OsSandboxSupport {
  const { platform } = process;
  if (platform !== 'linux' && platform !== 'darwin') {
    return { works: false, reason: `there is none for ${platform}`, hint: 'Use Linux, WSL2 or macOS.' };
  }
  const missing = PROGRAMS[platform].filter((name) => findProgram(name, env.PATH, '/') === null);
  if (missing.length > 0) {
    return { works: false, reason: `${missing.join(', ')} not found`, hint: INSTALL[platform] };
  }
  return platform === 'linux' ? namespaceSupport(env) : { works: true, sharesProc: false };
}

export function openOsSandbox(options: OsSandboxOptions): OsSandbox {
  const support = osSandboxSupport(options.env);
  if (!support.works) throw noOsSandbox(support);
  const facts = policyFacts(options);
  const policy = sandboxPolicy(facts, options.wish);
  makeTempFolder(facts.temp);
  for (const folder of policy.made) mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = policyFile(options.folder);
  writeFileSync(file, JSON.stringify({ policy, sharesProc: support.sharesProc }), { mode: 0o600 });
  return {
    policy,
    env: Object.fromEntries(Object.entries(policy.env).map(([name, value]) => [name, value ?? undefined])),
    enclose: (argv, { refusals, writes = [], ownTerminal = false }) => {
      const ours = ['sandbox-exec', '--policy', file, '--refusals', refusals];
      const terminal = ownTerminal ? ['--own-terminal'] : [];
      return [...options.self, ...ours, ...terminal, ...writes.flatMap((path) => ['--write', path]), '--', ...argv];
    },
    outsideProblem: repositoryWatch({ ...options, workspace: facts.workspace }),
    close: () => rmSync(facts.temp, { recursive: true, force: true }),
  };
}

/** Throws the temporary files of a sandbox away that somebody else, now gone, has opened for this folder. */
export function forgetOsSandbox(folder: string): void {
  const file = policyFile(folder);
  if (!existsSync(file)) return;
  // Our own file: its writer is the type's.
  const { policy } = JSON.parse(readFileSync(file, 'utf8')) as { readonly policy: SandboxPolicy };
  rmSync(policy.temp, { recursive: true, force: true });
}

export function noOsSandbox({ reason, hint }: Extract<OsSandboxSupport, { works: false }>): RalphError {
  return new RalphError('NO_SANDBOX', `the operating system's sandbox cannot be used: ${reason}`, {
    hint: `${hint}; or run without: --no-sandbox`,
    exitCode: 2,
  });
}

function policyFile(folder: string): string {
  return join(folder, 'sandbox.json');
}

/** A container may forbid a /proc of one's own, or namespaces altogether. */
function namespaceSupport(env: NodeJS.ProcessEnv): OsSandboxSupport {
  const isolated = ['--unshare-user', '--unshare-pid', '--unshare-net', '--ro-bind', '/', '/', '--dev', '/dev'];
  const attempt = (...proc: string[]) =>
    spawnSync('bwrap', [...isolated, ...proc, '--', 'true'], {
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  if (attempt('--proc', '/proc').status === 0) return { works: true, sharesProc: false };
  const second = attempt('--bind', '/proc', '/proc');
  if (second.status === 0) return { works: true, sharesProc: true };
  const reason = second.stderr.trim().split('\n').at(-1) ?? '';
  return {
    works: false,
    reason: `namespaces are not allowed here (${reason})`,
    hint: 'Allow unprivileged user namespaces; on Ubuntu: sysctl kernel.apparmor_restrict_unprivileged_userns=0',
  };
}

/** Its name can be guessed: one that somebody else has made is not taken. */
function makeTempFolder(path: string): void {
  mkdirSync(path, { mode: 0o700, recursive: true });
  const stat = lstatSync(path);
  const isOurs = stat.isDirectory() && stat.uid === process.getuid?.() && (stat.mode & 0o077) === 0;
  if (isOurs) return;
  throw new RalphError('SANDBOX_TEMP', `${path} is not a folder of yours alone`, { hint: `Remove it.`, exitCode: 2 });
}
