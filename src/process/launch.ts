/** Starts one program, contained, with its output in files: the supervisor's death does not break it. */
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Exit } from '../core/outcome.ts';
import type { Duration } from '../core/time.ts';
import { bornInside, leafPath, makeLeaf, removeLeafIfEmpty } from './containment/cgroup.ts';
import type { Containment } from './containment/containment.ts';
import { MARK_VARIABLE, markedEnvironment } from './containment/mark.ts';
import { inPidNamespace } from './containment/pid-namespace.ts';
import { identify, type MachineIdentity } from './identity/identity.ts';
import { type Plan, type Trace, writeLeader, writePlan } from './trace.ts';

export interface Launch {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  /** Where its files lie, beside those of other runs. */
  readonly folder: string;
  /** Unique to this start of this run; its processes carry it in their environment. */
  readonly mark: string;
  /** Files, by their names in the folder or absolute. Without `stdin` there is nothing to read. */
  readonly stdin?: string;
  /** A file, or a descriptor that the caller closes. */
  readonly stdout: string | number;
  readonly stderr: string | number;
  readonly containment: Containment;
  /** How long what the program leaves behind has in a pid namespace, once it is asked to end; elsewhere `sweep` is told. */
  readonly grace?: Duration;
  /** End the program when this supervisor dies. */
  readonly tethered?: boolean;
}

export interface Launched {
  readonly pid: number;
  readonly trace: Trace;
  readonly exited: Promise<Exit>;
}

/** The program could not be started at all: not there, not executable, too many arguments. */
export class LaunchError extends Error {
  constructor(argv0: string, cause: Error) {
    super(`cannot start ${argv0}: ${cause.message}`, { cause });
  }
}

export async function launch(spec: Launch, place: MachineIdentity): Promise<Launched> {
  const { containment, folder, mark } = spec;
  const leaf = containment.level === 'cgroup' ? leafPath(containment.home, mark) : null;
  const plan: Plan = { v: 1, rung: containment.level, mark, leaf };
  // The plan first: a leaf that nothing on disk leads to would stay for ever.
  writePlan(folder, plan);
  if (leaf !== null) makeLeaf(leaf);

  const files: number[] = [];
  const open = (path: string, flags: string): number => {
    const file = openSync(resolve(folder, path), flags, 0o600);
    files.push(file);
    return file;
  };
  try {
    const stdin = spec.stdin === undefined ? 'ignore' : open(spec.stdin, 'r');
    const stdout = typeof spec.stdout === 'number' ? spec.stdout : open(spec.stdout, 'a');
    const stderr = typeof spec.stderr === 'number' ? spec.stderr : open(spec.stderr, 'a');
    const [command, ...args] = wrapped(spec);
    const { cwd, env } = spec;
    const start = (): ChildProcess =>
      spawn(command, args, {
        cwd,
        env: { ...env, [MARK_VARIABLE]: markedEnvironment(env[MARK_VARIABLE], mark) },
        // A session, and so a group, of its own.
        detached: true,
        stdio: [stdin, stdout, stderr],
      });
    const child = startOrSay(
      command,
      containment.level === 'cgroup' && leaf !== null ? () => bornInside(containment.home, leaf, start) : start,
    );
    const exited = exitOf(child);
    if (child.pid === undefined) throw await exited.then(() => new Error('a program without a pid'));
    // A leaf says by itself who belongs to the run; the other levels must know whom they started.
    const leader = leaf === null ? identify(child.pid, place) : null;
    if (leader !== null) writeLeader(folder, mark, leader);
    return { pid: child.pid, trace: { plan, leader }, exited };
  } catch (error) {
    if (leaf !== null) removeLeafIfEmpty(leaf);
    throw error;
  } finally {
    for (const file of files) closeSync(file);
  }
}

/** Some refusals (too many arguments, a NUL in one) come at once and not as an event. */
function startOrSay(command: string, start: () => ChildProcess): ChildProcess {
  try {
    return start();
  } catch (error) {
    throw new LaunchError(command, error instanceof Error ? error : new Error(String(error)));
  }
}

function wrapped(spec: Launch): readonly [string, ...string[]] {
  const contained =
    spec.containment.level === 'pid-namespace'
      ? inPidNamespace(spec.argv, spec.containment.asRoot, spec.grace)
      : spec.argv;
  return spec.tethered === true ? ['setpriv', '--pdeathsig', 'KILL', '--', ...contained] : contained;
}

function exitOf(child: ChildProcess): Promise<Exit> {
  return new Promise((resolve, reject) => {
    child.once('error', (cause) => reject(new LaunchError(child.spawnfile, cause)));
    child.once('exit', (code, signal) => {
      resolve(code === null ? { by: 'signal', signal: signal ?? 'unknown' } : { by: 'code', code });
    });
  });
}
