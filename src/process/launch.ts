/** Starts one program, contained, with its output in files, so that it survives the supervisor's death. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { resolve } from 'node:path';
import { type Exit, exitOfChild } from '../core/outcome.ts';
import type { Duration } from '../core/time.ts';
import { bornInside, leafPath, makeLeaf, removeLeafIfEmpty } from './containment/cgroup.ts';
import { type Containment, inPidNamespace } from './containment/containment.ts';
import { identifyChild, presumedIdentity } from './identity/identity.ts';
import { MARK_VARIABLE } from './identity/process-table.ts';
import { type Plan, writeTrace } from './trace.ts';

export interface Launch {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** The folder of its files, shared with other runs. */
  readonly folder: string;
  /** Unique to this start of this run; its processes carry it in their environment. */
  readonly mark: string;
  /** File names in the folder, or absolute paths. Without `stdin` there is nothing to read. */
  readonly stdin?: string;
  /** A file, or a descriptor that the caller closes. */
  readonly stdout: string | number;
  readonly stderr: string | number;
  readonly containment: Containment;
  /** In a pid namespace, how long leftover processes have after SIGTERM. On other levels, `sweep` ends them. */
  readonly grace?: Duration;
  /** End the program when this supervisor dies. */
  readonly tethered?: boolean;
}

export type Launched = Awaited<ReturnType<typeof launch>>;

/** The program could not be started at all: missing, not executable, too many arguments. */
export class LaunchError extends Error {
  constructor(argv0: string, cause: Error) {
    super(`cannot start ${argv0}: ${cause.message}`, { cause });
  }
}

export async function launch(spec: Launch) {
  const { containment, folder, mark } = spec;
  const leaf = containment.level === 'cgroup' ? leafPath(containment.home, mark) : null;
  const plan: Plan = { v: 1, level: containment.level, mark, leaf };
  // The plan first: a leaf that nothing on disk leads to would stay forever.
  writeTrace(folder, { plan });
  if (containment.level === 'cgroup' && leaf !== null) makeLeaf(leaf, containment.home);

  const files: number[] = [];
  const open = (file: string | number, flags: string): number => {
    if (typeof file === 'number') return file;
    const fd = openSync(resolve(folder, file), flags, 0o600);
    files.push(fd);
    return fd;
  };
  try {
    const stdin = spec.stdin === undefined ? 'ignore' : open(spec.stdin, 'r');
    const stdio = [stdin, open(spec.stdout, 'a'), open(spec.stderr, 'a')] as const;
    const [command, ...args] = wrapped(spec);
    const marks = [spec.env[MARK_VARIABLE], mark].filter(Boolean).join(' ');
    const env = { ...spec.env, [MARK_VARIABLE]: marks };
    const start = (): ChildProcess => {
      try {
        // A session of its own, and so a group of its own.
        return spawn(command, args, { cwd: spec.cwd, env, detached: true, stdio: [...stdio] });
      } catch (error) {
        // Some errors (too many arguments, a NUL in one) are thrown at once and not emitted.
        throw new LaunchError(command, error instanceof Error ? error : new Error(String(error)));
      }
    };
    const isBornInside = containment.level === 'cgroup' && leaf !== null;
    const child = isBornInside ? bornInside(containment.home, leaf, start) : start();
    const exited = exitOf(child);
    if (child.pid === undefined) throw await exited.then(() => new Error('a program without a pid'));
    // A leaf itself shows which processes belong to the run; the other levels must record whom they started.
    const presumed = leaf === null ? presumedIdentity(child.pid) : null;
    if (presumed !== null) writeTrace(folder, { mark, leader: presumed });
    // It may have ended already: what it left behind can still be found by its pid.
    const leader = leaf === null ? (identifyChild(child.pid) ?? presumed) : null;
    if (leader !== null && leader !== presumed) writeTrace(folder, { mark, leader });
    return { pid: child.pid, trace: { plan, leader }, exited };
  } catch (error) {
    if (leaf !== null) removeLeafIfEmpty(leaf);
    throw error;
  } finally {
    for (const file of files) closeSync(file);
  }
}

function wrapped({ argv, containment, grace, tethered }: Launch): readonly [string, ...string[]] {
  const contained = containment.level === 'pid-namespace' ? inPidNamespace(argv, containment.asRoot, grace) : argv;
  return tethered === true ? ['setpriv', '--pdeathsig', 'KILL', '--', ...contained] : contained;
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve, reject) => {
    child.once('error', (cause) => reject(new LaunchError(child.spawnfile, cause)));
    child.once('exit', (code, signal) => resolve(exitOfChild(code, signal)));
  });
}
