/** The operating system's sandbox for one loop: its policy on disk, and the command that puts a program into it. */
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { RalphError } from '../core/error.ts';
import { digestOf } from '../core/text/digest.ts';
import type { Duration } from '../core/time.ts';
import { ifThere, makeFolders, nullOn, realPathSoFar, writeFile } from '../process/files.ts';
import { alwaysReady, follow } from '../process/follow.ts';
import type { Enclosure } from '../process/host.ts';
import { findProgram } from '../process/which.ts';
import { lineSplitter } from '../stream/lines.ts';
import type { RunFiles, Runner } from './runner.ts';
import { type PolicyFacts, policyFacts, type SandboxOptions } from './sandbox/facts.ts';
import {
  gitRunsPlanted,
  mayWrite,
  ownEnvironment,
  pathOutsideOf,
  quarantineFolder,
  repositoryWatch,
} from './sandbox/own-environment.ts';
import {
  guardedPlace,
  isUnder,
  type LoopPolicy,
  type SandboxPolicy,
  sandboxPolicy,
  withLoopPaths,
  withRuntime,
  withTemp,
} from './sandbox/policy.ts';
import { describeRefusal, keepRefusal, parseRefusal, quarantine, type Refusal } from './sandbox/refusals.ts';

export interface OsSandboxOptions extends SandboxOptions {
  /** The command line that starts this program. */
  readonly self: readonly [string, ...string[]];
  /** How long what a program leaves behind has between SIGTERM and SIGKILL. */
  readonly grace: Duration;
  /** The folder of a loop whose policy is taken over: what its agent asks for may do no more than that agent. */
  readonly inheritFrom?: string;
}

interface Kept {
  /** An earlier version knew no folder of the runtime's own. */
  readonly policy: SandboxPolicy & Partial<LoopPolicy>;
  /** Without what is the loop's own. */
  readonly settled: SandboxPolicy;
  readonly sharesProc: boolean;
}

/** Debian's names for the packages are these, but for the last: ripgrep. */
const PROGRAMS = { linux: ['bwrap', 'socat', 'rg'], darwin: ['sandbox-exec', 'rg'] } as const;
const INSTALL = {
  linux: 'Install them, on Debian with: apt-get install bubblewrap socat ripgrep',
  darwin: 'Install ripgrep: brew install ripgrep',
} as const;

/** What the sandbox of this machine is like, or why there is none. `cwd`: the work tree, in which no program of ours is looked for. */
export function osSandboxSupport(given: NodeJS.ProcessEnv, cwd: string): { readonly sharesProc: boolean } | RalphError {
  const { platform } = process;
  const env = { ...given, PATH: pathOutsideOf(cwd, given) };
  if (platform !== 'linux' && platform !== 'darwin') {
    return unsupported(`there is none for ${platform}`, 'Use Linux, WSL2 or macOS.');
  }
  const missing = PROGRAMS[platform].filter((name) => findProgram(name, env.PATH, '/') === null);
  if (missing.length > 0) return unsupported(`${missing.join(', ')} not found`, INSTALL[platform]);
  return platform === 'linux' ? namespaceSupport(env) : { sharesProc: false };
}

export function openOsSandbox(options: OsSandboxOptions) {
  const { env, folder, self, loop, loopPaths, grace } = options;
  const facts = policyFacts(options);
  const { workspace, temp } = facts;
  const support = osSandboxSupport(env, workspace);
  if (support instanceof RalphError) throw support;
  const settled = resolvedPolicy(options, facts);
  const guardedPolicy = guarded(withLoopPaths(settled, loopPaths), self);
  const policy = withRuntime(guardedPolicy, runtimeFolder(guardedPolicy, loop));
  const file = keptFile(folder);
  const kept: Kept = { policy, settled, sharesProc: support.sharesProc };
  // First of all: who finds it knows what there may be to throw away.
  writeFile(file, JSON.stringify(kept), { mode: 0o600 });
  for (const own of [temp, dirname(policy.runtime), policy.runtime]) makePrivateFolder(own);
  try {
    for (const path of policy.made) makeFolders(path, 0o700);
    for (const { path, content } of policy.placeholders) {
      // Unless another process makes it meanwhile.
      nullOn(['EEXIST'], () => {
        if (content === null) mkdirSync(path, { mode: 0o700 });
        else writeFile(path, content, { flag: 'wx', mode: 0o600 });
      });
    }
  } catch (error) {
    forgetOsSandbox(folder);
    throw error;
  }
  /** Puts aside what a program that was cut off has planted. */
  const aside = (): Refusal[] => quarantine(policy, quarantineFolder(folder));
  // What was planted in a run whose supervisor died.
  aside();
  /** What is different for programs of ours that run outside; `undefined` takes a variable away. */
  const outside = ownEnvironment(env, policy);
  const repositoryProblem = repositoryWatch(folder, workspace, { ...env, ...outside });
  const own = Object.fromEntries(Object.entries(policy.env).map(([name, value]) => [name, value ?? undefined]));
  const enclosure: Enclosure = {
    env: { ...own, ...outside },
    enclose: (argv, { refusals, writes = [], ownTerminal = false }) => {
      const ours = ['sandbox-exec', '--policy', file, '--refusals', refusals, '--grace', String(grace)];
      const terminal = ownTerminal ? ['--own-terminal'] : [];
      return [...self, ...ours, ...terminal, ...writes.flatMap((path) => ['--write', path]), '--', ...argv];
    },
    outsideProblem: () => gitRunsPlanted(env, workspace, policy) ?? repositoryProblem(),
    mayWrite: (path) => mayWrite(policy, path),
    sweep: async () => void aside(),
  };
  return { ...enclosure, policy, outside, quarantine: aside, close: () => forgetOsSandbox(folder) };
}

/** Runs an agent in the sandbox: any runner, with the command put into it, and what it refuses told. Closing it closes both. */
export function enclosedRunner(inner: Runner, sandbox: ReturnType<typeof openOsSandbox>): Runner {
  const refusalsName = ({ name }: RunFiles): string => `${name}.refused`;
  // What is followed must be there, and what is to be written inside must be there to be let in.
  const makeEmpty = (file: string): void => writeFile(file, '', { flag: 'a', mode: 0o600 });
  return {
    ...inner,
    start(run) {
      const { folder, argv, env, writes = [] } = run;
      const refusals = join(folder, refusalsName(run));
      for (const file of [refusals, ...writes]) makeEmpty(file);
      const enclosed = sandbox.enclose(argv, { refusals, writes });
      return inner.start({ ...run, argv: enclosed, env: { ...env, ...sandbox.env } });
    },
    async await(run, watch) {
      const name = refusalsName(run);
      const onLine = (line: Buffer): void => {
        for (const refusal of parseRefusal(line.toString('utf8'))) watch.onRefusal?.(describeRefusal(refusal));
      };
      const lines = lineSplitter({ onLine });
      // A supervisor that died between the claim and the start has left none.
      makeEmpty(join(run.folder, name));
      const follower = follow(run.folder, [{ name, onChunk: (chunk) => lines.push(chunk) }], alwaysReady);
      try {
        return await inner.await(run, watch);
      } finally {
        // As a rule that was done when the program ended; but a program that had to be killed may have left others.
        for (const refusal of sandbox.quarantine()) keepRefusal(join(run.folder, name), refusal);
        await follower.drain();
        lines.end();
        follower.close();
      }
    },
    async close() {
      await inner.close();
      sandbox.close();
    },
  };
}

/** Removes temporary files and what the last program has planted: also where another process, now gone, opened it. */
export function forgetOsSandbox(folder: string): void {
  const kept = readKept(folder);
  if (kept === null) return;
  quarantine(kept.policy, quarantineFolder(folder));
  const { temp, runtime = temp } = kept.policy;
  for (const own of [temp, runtime]) rmSync(own, { recursive: true, force: true });
}

/** A loop that is resumed has the policy that it began with: the agent has been in the work tree since. */
function resolvedPolicy({ folder, inheritFrom, request }: OsSandboxOptions, facts: PolicyFacts): SandboxPolicy {
  const own = readKept(folder);
  if (own !== null) return own.settled;
  if (inheritFrom === undefined) return sandboxPolicy(facts, request);
  const others = readKept(inheritFrom);
  if (others !== null) return withTemp(others.settled, facts.temp);
  throw new RalphError('SANDBOX', `${keptFile(inheritFrom)} is gone, and with it what the sandbox was`);
}

function keptFile(folder: string): string {
  return join(folder, 'sandbox.json');
}

/** Written by this file, in a folder that every sandbox hides. */
function readKept(folder: string): Kept | null {
  const text = ifThere(() => readFileSync(keptFile(folder), 'utf8'));
  if (text === null) return null;
  const kept = JSON.parse(text) as Kept;
  return { ...kept, policy: ofToday(kept.policy), settled: ofToday(kept.settled) };
}

/** An earlier version named placeholders otherwise, and one before that knew neither them nor what is put aside. */
function ofToday<Kind extends SandboxPolicy>(
  policy: Kind & { readonly standIns?: SandboxPolicy['placeholders'] },
): Kind {
  return { ...policy, vacant: policy.vacant ?? [], placeholders: policy.placeholders ?? policy.standIns ?? [] };
}

/** This program itself, where it is installed in the work tree: the next start of it is outside of the sandbox. */
function guarded(policy: SandboxPolicy, self: readonly string[]): SandboxPolicy {
  const own = self
    .filter((word) => isAbsolute(word) && existsSync(word))
    .map((path) => join(realpathSync.native(path), '../..'))
    .filter((folder) => policy.writable.some((path) => folder !== path && isUnder(folder, path)));
  return { ...policy, readOnly: [...policy.readOnly, ...own] };
}

function unsupported(reason: string, hint: string): RalphError {
  return new RalphError('NO_SANDBOX', `the operating system's sandbox cannot be used: ${reason}`, {
    hint: `${hint}; or run without: --no-sandbox`,
  });
}

/** A container may forbid a /proc of one's own, or namespaces altogether. */
function namespaceSupport(env: NodeJS.ProcessEnv): { readonly sharesProc: boolean } | RalphError {
  const isolated = ['--unshare-user', '--unshare-pid', '--unshare-net', '--ro-bind', '/', '/', '--dev', '/dev'];
  const attempt = (...proc: string[]) =>
    spawnSync('bwrap', [...isolated, ...proc, '--', 'true'], { env, encoding: 'utf8' });
  if (attempt('--proc', '/proc').status === 0) return { sharesProc: false };
  const second = attempt('--bind', '/proc', '/proc');
  if (second.status === 0) return { sharesProc: true };
  const reason = second.stderr.trim().split('\n').at(-1) ?? '';
  const hint = 'Allow unprivileged user namespaces; on Ubuntu: sysctl kernel.apparmor_restrict_unprivileged_userns=0';
  return unsupported(`namespaces are not allowed here (${reason})`, hint);
}

/** The whole path of a socket may have 107 bytes, on macOS 103, where the runtime's names are shorter. */
const LONGEST_RUNTIME_FOLDER = process.platform === 'linux' ? 107 - '/claude-http-0123456789abcdef.sock'.length : 80;

function runtimeFolder({ writable }: SandboxPolicy, loop: string): string {
  const name = join(`ralph-${process.getuid?.() ?? 'own'}`, digestOf(loop).slice(-10));
  const places = [tmpdir(), '/tmp', '/var/tmp']
    .filter((path) => existsSync(path))
    .map((path) => realpathSync.native(path));
  const short = places.filter((place) => join(place, name).length <= LONGEST_RUNTIME_FOLDER);
  const place = guardedPlace(short, writable.map(realPathSoFar));
  if (place !== null) return join(place, name);
  const fact = 'there is no place for the files of the sandbox: its programs may write in all';
  const hint = `Allow less than everything in which ${places.join(', ')} lie, or set TMPDIR to another folder.`;
  throw new RalphError('SANDBOX_TEMP', fact, { hint });
}

/** Its name can be guessed: one that another user has made is not taken. */
function makePrivateFolder(path: string): void {
  makeFolders(path, 0o700);
  const stat = lstatSync(path);
  const isOurs = stat.isDirectory() && stat.uid === process.getuid?.() && (stat.mode & 0o077) === 0;
  if (isOurs) return;
  throw new RalphError('SANDBOX_TEMP', `${path} is not a folder of yours alone`, { hint: 'Remove it.' });
}
