/** Starts a worker, or starts it again, whole or not at all: what was made before a step that fails is undone in reverse. */
import { existsSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { faultMessage } from '../../../core/system-fault.ts';
import { quoteWord } from '../../../core/text/quote-word.ts';
import type { Duration } from '../../../core/time.ts';
import { makeFolders } from '../../../process/files.ts';
import { LaunchError } from '../../../process/launch.ts';
import type { SandboxRequest } from '../../../runners/sandbox/request.ts';
import { unmakeWorktree } from '../../../scm/worktree.ts';
import { TmuxError, tmuxAt } from '../../../tmux/command.ts';
import { createWindow } from '../../../tmux/window.ts';
import { workerContainment } from '../../../tmux/worker-mark.ts';
import { isoMicroseconds } from '../ralph/times.ts';
import { keepPreviousLogs, logPath, logsFolder, sandboxFolder, windowFolder, workerLock } from './home.ts';
import { endWorker, isWorkerAlive } from './life.ts';
import { startProcess } from './process-worker.ts';
import { describePlace, isRalph, refusalsFile, sandboxMetadata, sandboxOf, type WorkerRecord } from './record.ts';
import { findWorker, putWorker, workerNamed } from './registry.ts';
import { locked, refused, type Swarm } from './swarm.ts';
import {
  createWorktree,
  environmentOfGit,
  planWorktree,
  removeWorkerWorktree,
  type WorkerWorktree,
} from './worktree.ts';

export interface SpawnRequest {
  readonly name: string;
  readonly argv: readonly [string, ...string[]];
  readonly env: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  readonly tmux: { readonly session: string; readonly socket: string | null } | null;
  readonly worktree: { readonly branch: string; readonly parent: string | undefined } | null;
  readonly cwd: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Settled: what it is, or null for none. */
  readonly sandbox: SandboxRequest | null;
}

/** A worktree of a large repository takes its time. */
const PATIENCE: Duration = 120_000;

/** Starts a prepared worker and records it; each step that it takes adds how to undo it. */
export type Start = (swarm: Swarm, prepared: Prepared, undo: Undo[]) => Promise<WorkerRecord>;

/** Of several that come at once with one name exactly one starts it. A worker with a loop brings its own way to start. */
export function spawnWorker(swarm: Swarm, request: SpawnRequest, start: Start = startWorker): Promise<WorkerRecord> {
  return lockedWorker(swarm, request.name, async () => {
    const earlier = findWorker(swarm, request.name);
    // Also one whose record was lost: its loop would go on beside the new worker's, in its place.
    const isThere = (earlier !== undefined && isWorkerAlive(swarm, earlier)) || swarm.ralph.isTurning(request.name);
    if (isThere || (earlier !== undefined && swarm.ralph.isUnfinished(request.name))) {
      const worker = quoteWord(request.name);
      const hint = `Its loop is not over. To continue it, run: swarm ralph resume ${worker}; to give it up: swarm ralph clean ${worker}`;
      throw refused(`worker '${request.name}' already exists`, 1, isThere ? undefined : hint);
    }
    return wholeOrNot(swarm, async (undo) => {
      const worktree = request.worktree === null ? null : await prepareWorktree(swarm, request, undo);
      const cwd = worktree?.path ?? resolve(swarm.cwd, request.cwd ?? '.');
      return start(swarm, { ...request, cwd, worktree }, undo);
    });
  });
}

/** As it was: same command, environment, tags, folder, session and worktree. */
export async function respawnWorker(
  swarm: Swarm,
  name: string,
  { cleanFirst = false, forceDirty = false }: { readonly cleanFirst?: boolean; readonly forceDirty?: boolean },
): Promise<void> {
  const started = await lockedWorker(swarm, name, async () => {
    const record = workerNamed(swarm, name);
    if (isRalph(record)) {
      const hint = `Go on with it: swarm ralph resume ${record.name}; or begin anew: swarm spawn --ralph`;
      throw refused(`worker '${record.name}' has a loop, which starts its agent`, 1, hint);
    }
    const [program, ...args] = record.cmd;
    if (program === undefined) throw refused('no command provided (use -- command...)');
    const sandbox = sandboxOf(record);
    if (sandbox !== null) {
      const { resolveWorkerSandbox } = await import('./sandbox.ts');
      await resolveWorkerSandbox(sandbox, { argv: record.cmd, env: swarm.env, cwd: record.cwd, hasLoop: false });
    }
    await endWorker(swarm, record.name);
    if (cleanFirst) await removeFirst(swarm, record, forceDirty);
    return wholeOrNot(swarm, async (undo) => {
      const { worktree } = record;
      if (worktree !== null && !existsSync(worktree.path)) {
        const env = environmentOfGit(swarm, sandbox !== null);
        const made = await createWorktree(worktree, env);
        undo.push({ what: 'remove worktree', run: () => unmakeWorktree(made, env) });
      }
      return startWorker(swarm, { ...record, argv: [program, ...args], sandbox }, undo);
    });
  });
  swarm.say(`respawned ${name} (${describePlace(started)})`);
}

async function removeFirst(swarm: Swarm, record: WorkerRecord, forceDirty: boolean): Promise<void> {
  const reason = await removeWorkerWorktree(swarm, record, forceDirty);
  if (reason === null) return;
  const advice = 'swarm: use --force-dirty to remove anyway, or commit changes first';
  throw refused(`cannot remove worktree: ${reason}\nswarm: worktree at: ${record.worktree?.path ?? ''}\n${advice}`);
}

/** One start or end of the worker of this name at a time. */
export function lockedWorker<T>(swarm: Swarm, name: string, work: () => Promise<T>): Promise<T> {
  const purpose = `a start or an end of worker '${name}'`;
  return locked(swarm, { folder: workerLock(swarm.home, name), purpose, patience: PATIENCE }, work);
}

/** How to undo one step, and what it was, should that fail too. */
export interface Undo {
  readonly what: string;
  run(): Promise<void>;
}

export type Prepared = Omit<SpawnRequest, 'cwd' | 'worktree'> & {
  readonly cwd: string;
  readonly worktree: WorkerRecord['worktree'];
};

/** Opens its window or starts its process, and records it. What an earlier worker of the name left is ended first. */
export async function startWorker(swarm: Swarm, prepared: Prepared, undo: Undo[]): Promise<WorkerRecord> {
  const { name, tmux } = prepared;
  await endWorker(swarm, name);
  keepPreviousLogs(swarm.home, name);
  undo.push({ what: tmux === null ? 'kill process' : 'kill tmux window', run: () => endWorker(swarm, name) });
  const argv = await enclosed(swarm, prepared);
  const record = newRecord(prepared, await startCommand(swarm, { ...prepared, argv }));
  try {
    await putWorker(swarm, record);
  } catch (error) {
    throw refused(`failed to save state: ${faultMessage(error)}`);
  }
  return record;
}

/** `pid` is null for a worker in a window. */
export function newRecord(
  { name, argv, cwd, env, tags, tmux, worktree, metadata, sandbox }: Prepared,
  pid: number | null,
): WorkerRecord {
  return {
    name,
    status: 'running',
    cmd: argv,
    started: isoMicroseconds(Date.now()),
    cwd,
    env,
    tags,
    tmux: tmux === null ? null : { session: tmux.session, window: name, socket: tmux.socket },
    worktree,
    pid,
    metadata: { ...metadata, ...sandboxMetadata(sandbox) },
  };
}

/** Undoes the steps that were taken when a later one fails. */
export async function wholeOrNot<T>({ warn }: Swarm, work: (undo: Undo[]) => Promise<T>): Promise<T> {
  const undo: Undo[] = [];
  try {
    return await work(undo);
  } catch (error) {
    if (undo.length > 0) warn('swarm: warning: spawn failed, cleaning up partial state');
    for (const { what, run } of undo.toReversed()) {
      await run().catch((failure: unknown) =>
        warn(`swarm: warning: rollback failed: could not ${what}: ${faultMessage(failure)}`),
      );
    }
    throw error;
  }
}

async function prepareWorktree(swarm: Swarm, request: SpawnRequest, undo: Undo[]): Promise<WorkerWorktree> {
  const { branch = request.name, parent } = request.worktree ?? {};
  const env = environmentOfGit(swarm, request.sandbox !== null);
  const worktree = await planWorktree(swarm, { name: request.name, branch, parent }, env);
  const made = await createWorktree(worktree, env);
  if (made.isNew) undo.push({ what: 'remove worktree', run: () => unmakeWorktree(made, env) });
  return worktree;
}

/** The command as it is started: in the sandbox, if there is one. */
async function enclosed(swarm: Swarm, { name, argv, cwd, env, tmux, sandbox }: Prepared): Promise<Prepared['argv']> {
  rmSync(sandboxFolder(swarm.home, name), { recursive: true, force: true });
  if (sandbox === null) return argv;
  const { openWorkerSandbox } = await import('./sandbox.ts');
  const opened = await openWorkerSandbox(swarm, sandbox, { name, cwd, argv, env, hasTerminal: tmux !== null });
  if (opened === null) return argv;
  swarm.say(opened.says);
  return opened.command(argv, refusalsFile(swarm.home, name));
}

/** Its pid; null for a worker in a window. */
async function startCommand(swarm: Swarm, { name, argv, cwd, env, tmux }: Prepared): Promise<number | null> {
  const { home, place } = swarm;
  try {
    if (tmux === null) return await startProcess(swarm, { name, argv, cwd, env });
    makeFolders(logsFolder(home), 0o700);
    const files = { folder: windowFolder(home, name), log: logPath(home, name, 'tmux') };
    const containment = workerContainment(swarm.containment);
    const server = tmuxAt({ socket: tmux.socket }, swarm.env);
    const { session } = tmux;
    await createWindow({ tmux: server, place, session, worker: name, argv, cwd, env, containment, ...files });
    return null;
  } catch (error) {
    const isKnown = error instanceof (tmux === null ? LaunchError : TmuxError);
    if (!isKnown && !(error instanceof Error && 'syscall' in error)) throw error;
    const what = tmux === null ? 'spawn process' : 'create tmux window';
    throw refused(`failed to ${what}: ${faultMessage(error)}`);
  }
}
