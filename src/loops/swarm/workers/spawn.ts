/** Starts a worker, whole or not at all: what was made before a step that fails is undone in reverse. */
import { rmSync } from 'node:fs';
import { resolve } from 'node:path';
import type { RalphError } from '../../../core/error.ts';
import { faultMessage } from '../../../core/system-fault.ts';
import { quoteWord } from '../../../core/text/quote-word.ts';
import type { Duration } from '../../../core/time.ts';
import { makeFolders } from '../../../process/files.ts';
import { thisHost } from '../../../process/host.ts';
import { LaunchError } from '../../../process/launch.ts';
import type { SandboxRequest } from '../../../runners/sandbox/request.ts';
import {
  findRepository,
  type MadeWorktree,
  makeWorktree,
  unmakeWorktree,
  WorktreeError,
  worktreePath,
} from '../../../scm/worktree.ts';
import { TmuxError, tmuxAt } from '../../../tmux/command.ts';
import { createWindow } from '../../../tmux/window.ts';
import { workerContainment } from '../../../tmux/worker-containment.ts';
import { environmentOfGit, refuseBentRepository } from './base-repository.ts';
import { logPath, logsFolder, sandboxFolder, windowFolder, workerLock } from './home.ts';
import { endWorker, isWorkerAlive } from './life.ts';
import { locked } from './locked.ts';
import { putAsideLogs } from './log-files.ts';
import { startProcess } from './process-worker.ts';
import { localTimestamp, type WorkerRecord } from './record.ts';
import { refusalsFile } from './refusals.ts';
import { findWorker, putWorker } from './registry.ts';
import { sandboxMetadata } from './sandbox-record.ts';
import { refused, type Swarm } from './swarm.ts';

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
    if ((earlier !== undefined && isWorkerAlive(swarm, earlier)) || swarm.ralph.isTurning(request.name)) {
      throw refused(`worker '${request.name}' already exists`);
    }
    if (earlier !== undefined && swarm.ralph.isUnfinished(request.name)) throw hasLoop(request.name);
    const undo: Undo[] = [];
    try {
      const worktree = request.worktree === null ? null : await prepareWorktree(swarm, request, undo);
      const cwd = worktree?.path ?? resolve(swarm.cwd, request.cwd ?? '.');
      return await start(swarm, { ...request, cwd, worktree }, undo);
    } catch (error) {
      await rollBack(swarm, undo);
      throw error;
    }
  });
}

/** A new worker of the name would take the place of the loop. */
function hasLoop(name: string): RalphError {
  const worker = quoteWord(name);
  const hint = `Its loop is not over. To continue it, run: swarm ralph resume ${worker}; to give it up: swarm ralph clean ${worker}`;
  return refused(`worker '${name}' already exists`, 1, hint);
}

/** Whoever starts or ends the worker of this name does so alone. */
export function lockedWorker<T>({ home, place }: Swarm, name: string, work: () => Promise<T>): Promise<T> {
  const purpose = `a start or an end of worker '${name}'`;
  return locked({ folder: workerLock(home, name), purpose, place, patience: PATIENCE }, work);
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
  putAsideLogs(swarm.home, name);
  undo.push({ what: tmux === null ? 'kill process' : 'kill tmux window', run: () => endWorker(swarm, name) });
  const argv = await enclosed(swarm, prepared);
  const command = { ...prepared, argv };
  const pid = tmux === null ? await startAsProcess(swarm, command) : await startInWindow(swarm, command, tmux);
  const record = newRecord(prepared, pid);
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
    started: localTimestamp(new Date()),
    cwd,
    env,
    tags,
    tmux: tmux === null ? null : { session: tmux.session, window: name, socket: tmux.socket },
    worktree,
    pid,
    metadata: { ...metadata, ...sandboxMetadata(sandbox) },
  };
}

export async function rollBack({ warn }: Swarm, undo: readonly Undo[]): Promise<void> {
  if (undo.length === 0) return;
  warn('swarm: warning: spawn failed, cleaning up partial state');
  for (const { what, run } of undo.toReversed()) {
    try {
      await run();
    } catch (error) {
      warn(`swarm: warning: rollback failed: could not ${what}: ${faultMessage(error)}`);
    }
  }
}

/** `env`: of git. */
export async function createWorktree(
  { path, branch, base_repo: baseRepo }: NonNullable<WorkerRecord['worktree']>,
  env: NodeJS.ProcessEnv,
): Promise<MadeWorktree> {
  refuseBentRepository(baseRepo);
  try {
    return await makeWorktree({ path, branch, baseRepo }, env);
  } catch (error) {
    throw refused(`failed to create worktree: ${faultMessage(error)}`);
  }
}

async function prepareWorktree(swarm: Swarm, request: SpawnRequest, undo: Undo[]): Promise<WorkerRecord['worktree']> {
  const { branch = request.name, parent } = request.worktree ?? {};
  const env = environmentOfGit(swarm, request.sandbox !== null);
  const root = await repositoryRoot(swarm, env);
  const worktree = { path: worktreePath(root, request.name, parent), branch, base_repo: root };
  const made = await createWorktree(worktree, env);
  if (made.isNew) undo.push({ what: 'remove worktree', run: () => unmakeWorktree(made, env) });
  return worktree;
}

async function repositoryRoot({ cwd, warn }: Swarm, env: NodeJS.ProcessEnv): Promise<string> {
  refuseBentRepository(cwd);
  try {
    const repository = await findRepository(cwd, env);
    if (repository === null) throw refused('not in a git repository (required for --worktree)');
    if (repository.wasRepaired) warn('swarm: warning: Fixed core.bare=true in git config');
    return repository.root;
  } catch (error) {
    if (error instanceof WorktreeError) throw refused(`failed to create worktree: ${error.message}`);
    throw error;
  }
}

/** The command as it is started: in the sandbox, if there is one. */
async function enclosed(swarm: Swarm, { name, argv, cwd, env, tmux, sandbox }: Prepared): Promise<Prepared['argv']> {
  const { home, stateRoot, self } = swarm;
  rmSync(sandboxFolder(home, name), { recursive: true, force: true });
  if (sandbox === null) return argv;
  const { openWorkerSandbox } = await import('./sandbox.ts');
  const host = thisHost({ ...swarm.env, ...env }, swarm.containment);
  const where = { id: `${home.path}/${name}`, folder: sandboxFolder(home, name), cwd, argv, home, stateRoot, self };
  const opened = await openWorkerSandbox(sandbox, { ...where, host, hasTerminal: tmux !== null });
  if (opened === null) return argv;
  swarm.say(opened.says);
  return opened.command(argv, refusalsFile(home, name));
}

async function startAsProcess(swarm: Swarm, { name, argv, cwd, env }: Prepared): Promise<number | null> {
  try {
    return await startProcess(swarm, { name, argv, cwd, env });
  } catch (error) {
    if (error instanceof LaunchError || isSystemError(error)) {
      throw refused(`failed to spawn process: ${faultMessage(error)}`);
    }
    throw error;
  }
}

async function startInWindow(
  swarm: Swarm,
  { name, argv, cwd, env }: Prepared,
  { session, socket }: NonNullable<SpawnRequest['tmux']>,
): Promise<null> {
  const { home, place } = swarm;
  try {
    makeFolders(logsFolder(home), 0o700);
    const tmux = tmuxAt({ socket }, swarm.env);
    const files = { folder: windowFolder(home, name), log: logPath(home, name, 'tmux') };
    const containment = workerContainment(swarm.containment);
    await createWindow({ tmux, place, session, worker: name, argv, cwd, env, containment, ...files });
    return null;
  } catch (error) {
    if (error instanceof TmuxError || isSystemError(error)) {
      throw refused(`failed to create tmux window: ${faultMessage(error)}`);
    }
    throw error;
  }
}

function isSystemError(error: unknown): boolean {
  return error instanceof Error && 'syscall' in error;
}
