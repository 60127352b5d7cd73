/** The operating system's sandbox for one loop: its policy on disk, and the command that puts a program into it. */
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { RalphError } from '../core/error.ts';
import { digestOf } from '../core/text/digest.ts';
import type { Duration } from '../core/time.ts';
import { ifThere, makeFolders, nullOn, realPath, realPathSoFar, writeFile } from '../process/files.ts';
import { type EnclosedFiles, type Enclosure, selfContained } from '../process/host.ts';
import { type PolicyFacts, policyFacts, type SandboxOptions } from './sandbox/facts.ts';
import { destinations } from './sandbox/helper/binds.ts';
import { sandboxHelper } from './sandbox/helper/client.ts';
import {
  gitRunsPlanted,
  installedAt,
  mayWrite,
  ownEnvironment,
  quarantineFolder,
  repositoryWatch,
} from './sandbox/own-environment.ts';
import {
  guardedPlace,
  isUnder,
  type LoopPolicy,
  readingPolicy,
  type SandboxPolicy,
  sandboxPolicy,
  withLoopPaths,
  withRuntime,
  withTemp,
} from './sandbox/policy.ts';
import { keepRefusal, quarantine, type Refusal } from './sandbox/refusals.ts';
import type { RuntimePolicy } from './sandbox/runtime.ts';
import { osSandboxSupport } from './sandbox/support.ts';

export interface OsSandboxOptions extends SandboxOptions {
  /** The command line that starts this program. */
  readonly self: readonly [string, ...string[]];
  /** How long the processes that a program leaves behind have between SIGTERM and SIGKILL. */
  readonly grace: Duration;
  /** The folder of a loop whose policy is inherited: what that loop's agent starts must not be allowed more. */
  readonly inheritFrom?: string;
  /** One process for all programs, if the system supports it; otherwise each program has its own. */
  readonly hasHelper?: boolean;
  /** Called with a sentence when that process was killed. */
  readonly warn?: (line: string) => void;
}

interface Kept extends Omit<RuntimePolicy, 'policy'> {
  /** Earlier versions had no folder for the runtime. */
  readonly policy: SandboxPolicy & Partial<LoopPolicy>;
  /** Without the loop's own paths. */
  readonly resolved: SandboxPolicy;
}

export function openOsSandbox(options: OsSandboxOptions) {
  const { env, folder, self, loop, loopPaths, grace, warn, hasHelper = true } = options;
  const facts = policyFacts(options);
  const { workspace, temp } = facts;
  const support = osSandboxSupport(env, workspace, self);
  if (support instanceof RalphError) throw support;
  const resolved = resolvedPolicy(options, facts);
  const guardedPolicy = guarded(withLoopPaths(resolved, loopPaths), self);
  const policy = withRuntime(guardedPolicy, runtimeFolder(guardedPolicy, loop));
  refusePatterns(policy);
  const file = keptFile(folder);
  const { inheritFrom } = options;
  const parents = inheritFrom === undefined ? undefined : readKept(inheritFrom)?.leadsTo;
  const began = readKept(folder)?.leadsTo ?? parents;
  const keep = (more: Pick<Kept, 'leadsTo'>): void =>
    writeFile(file, JSON.stringify({ policy, resolved, sharesProc: support.sharesProc, ...more } satisfies Kept), {
      mode: 0o600,
    });
  // First of all: a process that finds this file knows what there may be to remove.
  keep(began === undefined ? {} : { leadsTo: began });
  for (const own of [temp, dirname(policy.runtime), policy.runtime]) makePrivateFolder(own);
  try {
    for (const path of policy.made) makeFolders(path, 0o700);
    for (const { path, content } of policy.placeholders) {
      // Unless another process creates it first.
      nullOn(['EEXIST'], () => {
        if (content === null) mkdirSync(path, { mode: 0o700 });
        else writeFile(path, content, { flag: 'wx', mode: 0o600 });
      });
    }
  } catch (error) {
    forgetOsSandbox(folder);
    throw error;
  }
  // The paths that were missing exist only now. For a loop that was here before, what was stored then takes precedence.
  keep({ leadsTo: { ...destinations(policy), ...destinations(readingPolicy(policy)), ...began } });
  /** Quarantines what a program that was cut off has planted. */
  const aside = (): Refusal[] => quarantine(policy, quarantineFolder(folder));
  // What was planted in a run whose supervisor died.
  aside();
  /** What differs for our own programs that run outside; `undefined` removes a variable. */
  const outside = ownEnvironment(env, policy);
  const repositoryProblem = repositoryWatch(folder, workspace, { ...env, ...outside });
  const own = Object.fromEntries(Object.entries(policy.env).map(([name, value]) => [name, value ?? undefined]));
  const inside = { ...own, ...outside };
  /** Wraps the program in a process that handles its end by itself. */
  const command = (
    argv: readonly string[],
    { refusals, writes = [], ownTerminal = false, onlyReads = false }: PaneFiles,
  ): [string, ...string[]] => {
    const ours = ['sandbox-exec', '--policy', file, '--refusals', refusals, '--grace', String(grace)];
    const terminal = ownTerminal ? ['--own-terminal'] : [];
    const only = onlyReads ? ['--only-reads'] : [];
    return [...self, ...ours, ...terminal, ...only, ...writes.flatMap((path) => ['--write', path]), '--', ...argv];
  };
  const helper =
    hasHelper && process.platform === 'linux'
      ? sandboxHelper({
          argv: [...self, 'sandbox-helper', '--policy', file, '--grace', String(grace)],
          env: { ...env, ...inside },
          cwd: policy.runtime,
          lost: (sentence) => warn?.(sentence),
        })
      : null;
  const enclosure: Enclosure = {
    env: inside,
    async enclose(argv, files) {
      const { refusals, writes = [], isOffline = false, onlyReads = false } = files;
      const answer = (await helper?.program({ refusals, writes, isOffline, onlyReads })) ?? null;
      if (answer === null) return selfContained(command(argv, files));
      if (answer.kind === 'refused') return selfContained(refusing(answer.reason));
      return {
        argv: [...answer.words, ...argv],
        async ended() {
          if ((await helper?.ended(answer.name)) === true) return;
          for (const refusal of aside()) keepRefusal(refusals, refusal);
        },
      };
    },
    outsideProblem: () => gitRunsPlanted(env, workspace, policy) ?? repositoryProblem(),
    mayWrite: (path) => mayWrite(policy, path),
    sweep: async () => void aside(),
  };
  const close = async (): Promise<void> => {
    await helper?.close();
    forgetOsSandbox(folder);
  };
  return { ...enclosure, command, policy, outside, quarantine: aside, close };
}

/** The files of a program in a pane. */
export interface PaneFiles extends Omit<EnclosedFiles, 'isOffline'> {
  /** The terminal belongs to the program alone, as in a pane: it gets the keys, and is told the size. */
  readonly ownTerminal?: boolean;
}

/** Fails like a process around a program that cannot make the sandbox. */
function refusing(reason: string): [string, ...string[]] {
  return ['/bin/sh', '-c', 'echo "error: the sandbox cannot be made: $1" >&2; exit 125', 'ralph-sandbox', reason];
}

/** Removes temporary files and what the last program planted, even if another process, now gone, opened the sandbox. */
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
  if (own !== null) return own.resolved;
  if (inheritFrom === undefined) return sandboxPolicy(facts, request);
  const others = readKept(inheritFrom);
  if (others !== null) return withTemp(others.resolved, facts.temp);
  throw new RalphError('SANDBOX', `${keptFile(inheritFrom)} is gone, and with it what the sandbox was`);
}

function keptFile(folder: string): string {
  return join(folder, 'sandbox.json');
}

/** Our own file, in a folder that every sandbox hides. Earlier versions called `resolved` `settled`. */
function readKept(folder: string): Kept | null {
  const text = ifThere(() => readFileSync(keptFile(folder), 'utf8'));
  if (text === null) return null;
  const { settled, ...kept } = JSON.parse(text) as Kept & { readonly settled?: SandboxPolicy };
  return { ...kept, policy: ofToday(kept.policy), resolved: ofToday(settled ?? kept.resolved) };
}

/** Earlier versions followed no links, called placeholders `standIns`, or lacked them, the quarantine, or `work`. */
function ofToday<Kind extends SandboxPolicy>(
  policy: Kind & { readonly standIns?: SandboxPolicy['placeholders'] },
): Kind {
  const { links, vacant, placeholders, standIns, work, workspace } = policy;
  const known = { links: links ?? [], vacant: vacant ?? [], placeholders: placeholders ?? standIns ?? [] };
  return { ...policy, ...known, work: work ?? [workspace] };
}

/** Protects this program itself, if it is installed in the work tree: its next start is outside the sandbox. */
function guarded(policy: SandboxPolicy, self: readonly string[]): SandboxPolicy {
  const own = installedAt(self).filter((folder) =>
    policy.writable.some((path) => folder !== path && isUnder(folder, path)),
  );
  return { ...policy, readOnly: [...policy.readOnly, ...own] };
}

/** The runtime would take it for a pattern, and protect or open the files that match. */
function refusePatterns({ writable, unreadable, readOnly, shown }: SandboxPolicy): void {
  const path = [...writable, ...unreadable, ...readOnly, ...shown].find((one) => /[*?[\]]/.test(one));
  if (path === undefined) return;
  const fact = `the sandbox does not accept a path with *, ?, [ or ] in it: ${path}`;
  throw new RalphError('SANDBOX', fact, { hint: 'Name a folder above it, or run without: --no-sandbox' });
}

/** A socket's whole path can have 107 bytes; on macOS 103, but the runtime's names are shorter there. */
const LONGEST_RUNTIME_FOLDER = process.platform === 'linux' ? 107 - '/claude-http-0123456789abcdef.sock'.length : 80;

function runtimeFolder({ writable }: SandboxPolicy, loop: string): string {
  const name = join(`ralph-${process.getuid?.() ?? 'own'}`, digestOf(loop).slice(-10));
  const places = [tmpdir(), '/tmp', '/var/tmp'].filter((path) => existsSync(path)).map((path) => realPath(path));
  const short = places.filter((place) => join(place, name).length <= LONGEST_RUNTIME_FOLDER);
  const place = guardedPlace(short, writable.map(realPathSoFar));
  if (place !== null) return join(place, name);
  const fact = 'the sandbox has no safe place for its files: its programs can write to every temporary folder';
  const hint = `Do not allow writing to ${places.join(', ')} or the folders above, or set TMPDIR to another folder.`;
  throw new RalphError('SANDBOX_TEMP', fact, { hint });
}

/** The name can be guessed: a folder that another user created is refused. */
function makePrivateFolder(path: string): void {
  makeFolders(path, 0o700);
  const stat = lstatSync(path);
  const isOurs = stat.isDirectory() && stat.uid === process.getuid?.() && (stat.mode & 0o077) === 0;
  if (isOurs) return;
  throw new RalphError('SANDBOX_TEMP', `${path} does not belong to you alone`, { hint: 'Remove it.' });
}
