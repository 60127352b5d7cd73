/** Spawns workers, completely or not at all, and respawns them. Kills workers, and removes those that have ended. */
import { existsSync, rmSync } from 'node:fs';
import { faultMessage } from '../../../core/system-fault.ts';
import { quoteWord } from '../../../core/text/quote-word.ts';
import type { Duration } from '../../../core/time.ts';
import { makeFolders } from '../../../process/files.ts';
import { LaunchError } from '../../../process/launch.ts';
import { TmuxError, tmuxAt } from '../../../tmux/command.ts';
import { createWindow } from '../../../tmux/create-window.ts';
import { workerContainment } from '../../../tmux/worker-mark.ts';
import { isoMicroseconds } from '../ralph/files.ts';
import { isTurned, isUnfinished } from '../ralph/find.ts';
import { killLoop } from '../ralph/worker.ts';
import { removeHeartbeat, stopHeartbeat } from './heartbeat.ts';
import { endWorker, isWorkerAlive, startProcess } from './liveness.ts';
import { describePlace, isRalph, sandboxOf, type WorkerRecord } from './record.ts';
import {
  findWorker,
  forgottenWorkers,
  putWorker,
  readWorkers,
  removeWorker,
  updateWorker,
  workerNamed,
} from './registry.ts';
import { keepPreviousLogs, locked, refused, removeLogs, type Swarm, workerFiles } from './swarm.ts';
import { createWorktree, environmentOfGit, planWorktree, removeWorkerWorktree, type Undo } from './worktree.ts';

export interface SpawnRequest {
  /** The future record, without its worktree and what is only known once it runs. */
  readonly worker: WorkerRecord;
  readonly worktree: { readonly branch: string; readonly parent: string | undefined } | null;
}

/** Starts a worker whose work folder exists, and records it; each of its steps adds how to undo it. */
type Start<T> = (swarm: Swarm, worker: WorkerRecord, undo: Undo[]) => Promise<T>;

/** If several processes spawn the same name at once, exactly one succeeds. `start` differs for workers with a loop. */
export function spawnWorker<T>(swarm: Swarm, request: SpawnRequest, start: Start<T>): Promise<T> {
  const { worker, worktree: wanted } = request;
  const { name } = worker;
  return lockedWorker(swarm, name, async () => {
    const earlier = findWorker(swarm, name);
    // Refuse even if the record was lost: its loop would keep running beside the new worker's, in the same place.
    const isThere = (earlier !== undefined && isWorkerAlive(swarm, earlier)) || isTurned(swarm, name);
    if (isThere || (earlier !== undefined && isUnfinished(swarm, name))) {
      const word = quoteWord(name);
      const hint = `Its loop is not over. To continue it, run: swarm ralph resume ${word}; to delete it: swarm ralph clean ${word}`;
      throw refused(`worker '${name}' already exists`, 1, isThere ? undefined : hint);
    }
    return wholeOrNot(swarm, async (undo) => {
      if (wanted === null) return start(swarm, worker, undo);
      const env = environmentOfGit(swarm, sandboxOf(worker) !== null);
      const worktree = await planWorktree(swarm, { name, ...wanted }, env);
      await createWorktree(worktree, env, undo);
      return start(swarm, { ...worker, cwd: worktree.path, worktree }, undo);
    });
  });
}

/** Starts the worker as before: same command, environment, tags, folder, session and worktree. */
export async function respawnWorker(swarm: Swarm, name: string, { cleanFirst = false, forceDirty = false }) {
  const started = await lockedWorker(swarm, name, async () => {
    const record = workerNamed(swarm, name);
    if (isRalph(record)) {
      const hint = `To continue it, run: swarm ralph resume ${name}; to start over: swarm spawn --ralph`;
      throw refused(`worker '${name}' has a loop, which starts its agent`, 1, hint);
    }
    if (record.cmd.length === 0) throw refused('no command provided (use -- command...)');
    const sandbox = sandboxOf(record);
    if (sandbox !== null) {
      const { resolveWorkerSandbox } = await import('./sandbox.ts');
      await resolveWorkerSandbox(sandbox, { argv: record.cmd, cwd: record.cwd }, swarm, false);
    }
    await endWorker(swarm, name);
    const { worktree } = record;
    const reason = cleanFirst ? await removeWorkerWorktree(swarm, record, forceDirty) : null;
    if (reason !== null) {
      const advice = 'swarm: use --force-dirty to remove anyway, or commit changes first';
      throw refused(`cannot remove worktree: ${reason}\nswarm: worktree at: ${worktree?.path}\n${advice}`);
    }
    return wholeOrNot(swarm, async (undo) => {
      const env = environmentOfGit(swarm, sandbox !== null);
      if (worktree !== null && !existsSync(worktree.path)) await createWorktree(worktree, env, undo);
      return startWorker(swarm, record, undo);
    });
  });
  swarm.say(`respawned ${name} (${describePlace(started)})`);
}

/** One start or end of this worker at a time. Waits long: creating a worktree of a large repository takes time. */
function lockedWorker<T>(swarm: Swarm, name: string, work: () => Promise<T>): Promise<T> {
  const purpose = `a start or an end of worker '${name}'`;
  return locked(workerFiles(swarm.home, name).lock, purpose, work, 120_000);
}

/** Opens its window or starts its process, and records it. First ends what an earlier worker of this name has left. */
export async function startWorker(swarm: Swarm, worker: WorkerRecord, undo: Undo[]): Promise<WorkerRecord> {
  const { name, tmux } = worker;
  await endWorker(swarm, name);
  keepPreviousLogs(swarm.home, name);
  undo.push({ what: tmux === null ? 'kill process' : 'kill tmux window', run: () => endWorker(swarm, name) });
  const pid = await startCommand(swarm, { ...worker, cmd: await enclosed(swarm, worker) });
  const record = startedNow({ ...worker, pid });
  await putWorker(swarm, record).catch((error: unknown) => {
    throw refused(`failed to save state: ${faultMessage(error)}`);
  });
  return record;
}

export function startedNow(worker: WorkerRecord): WorkerRecord {
  return { ...worker, status: 'running', started: isoMicroseconds(Date.now()) };
}

async function wholeOrNot<T>({ warn }: Swarm, work: (undo: Undo[]) => Promise<T>): Promise<T> {
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

/** The command to start, in the sandbox if there is one. */
async function enclosed(swarm: Swarm, worker: WorkerRecord): Promise<readonly string[]> {
  const { name, cmd: argv, tmux } = worker;
  rmSync(workerFiles(swarm.home, name).sandbox, { recursive: true, force: true });
  const sandbox = sandboxOf(worker);
  if (sandbox === null) return argv;
  const { openWorkerSandbox } = await import('./sandbox.ts');
  const opened = await openWorkerSandbox(swarm, sandbox, { ...worker, argv, hasTerminal: tmux !== null });
  if (opened === null) return argv;
  swarm.say(opened.says);
  return opened.command(argv, workerFiles(swarm.home, name).refusals);
}

async function startCommand(swarm: Swarm, worker: WorkerRecord): Promise<number | null> {
  const { name, cmd: argv, cwd, env, tmux } = worker;
  try {
    if (tmux === null) return await startProcess(swarm, worker);
    const { window: folder, logs, logsFolder } = workerFiles(swarm.home, name);
    makeFolders(logsFolder, 0o700);
    const containment = workerContainment(swarm.containment);
    const server = { tmux: tmuxAt({ socket: tmux.socket }, swarm.env), session: tmux.session };
    await createWindow({ ...server, worker: name, argv, cwd, env, containment, folder, log: logs.tmux });
    return null;
  } catch (error) {
    const isKnown = error instanceof (tmux === null ? LaunchError : TmuxError);
    if (!isKnown && !(error instanceof Error && 'syscall' in error)) throw error;
    const what = tmux === null ? 'spawn process' : 'create tmux window';
    throw refused(`failed to ${what}: ${faultMessage(error)}`);
  }
}

interface EndFlags {
  readonly all?: boolean;
  readonly rmWorktree?: boolean;
  readonly forceDirty?: boolean;
  /** How long a loop's supervisor may take to obey. */
  readonly patience?: Duration;
}

/** Keeps their records. Never kills a tmux session itself: it ends with its last window. */
export async function killWorkers(swarm: Swarm, worker: string | undefined, flags: EndFlags): Promise<void> {
  const { rmWorktree = false, forceDirty = false, patience = 30_000 } = flags;
  const kill = async (record: WorkerRecord): Promise<void> => {
    const { name } = record;
    // The loop first: otherwise it would take its agent's end for the end of an iteration.
    if (isRalph(record)) await killLoop(swarm, name, rmWorktree, patience);
    await endWorker(swarm, name);
    await stopHeartbeat(swarm, name);
    await updateWorker(swarm, name, { status: 'stopped' });
    const reason = rmWorktree ? await removeWorkerWorktree(swarm, record, forceDirty) : null;
    if (reason === null) return;
    swarm.warn(`swarm: warning: cannot remove worktree for '${name}': ${reason}`);
    swarm.warn('swarm: use --force-dirty to remove anyway');
  };
  for (const record of chosen(swarm, worker, flags, 'must specify worker name or --all')) {
    await lockedWorker(swarm, record.name, () => kill(record));
    swarm.say(`killed ${record.name}`);
  }
  if (flags.all !== true) return;
  for (const forgotten of forgottenWorkers(swarm)) {
    await lockedWorker(swarm, forgotten, () => endWorker(swarm, forgotten));
  }
}

export async function cleanWorkers(swarm: Swarm, worker: string | undefined, flags: EndFlags): Promise<void> {
  for (const { name } of chosen(swarm, worker, flags, 'must specify worker name or use --all')) {
    await lockedWorker(swarm, name, () => cleanWorker(swarm, name, flags));
  }
}

function chosen(swarm: Swarm, name: string | undefined, { all = false }: EndFlags, advice: string): WorkerRecord[] {
  if (all) return readWorkers(swarm);
  if (name === undefined) throw refused(advice);
  return [workerNamed(swarm, name)];
}

async function cleanWorker(swarm: Swarm, name: string, flags: EndFlags): Promise<void> {
  const { all = false, rmWorktree = true, forceDirty = false } = flags;
  // Read again under the lock: it may have been cleaned or started again in the meantime.
  const record = findWorker(swarm, name);
  if (record === undefined) return;
  // A loop between two agents, or paused, still needs its record and its worktree.
  const isTurning = isTurned(swarm, name);
  if (isTurning || isWorkerAlive(swarm, record)) {
    const hint = isTurning ? `A supervisor runs its loop. To end it, run: swarm kill ${name}` : undefined;
    if (!all) throw refused(`cannot clean running worker '${name}'`, 1, hint);
    swarm.warn(`swarm: warning: skipping '${name}' (still running)`);
    return;
  }
  // End what it may have left running, which would have no record after this.
  await endWorker(swarm, name);
  const reason = rmWorktree ? await removeWorkerWorktree(swarm, record, forceDirty) : null;
  if (reason !== null) {
    swarm.warn(`swarm: warning: preserving worktree for '${name}': ${reason}`);
    swarm.warn(`swarm: worktree at: ${record.worktree?.path ?? ''}`);
    swarm.warn('swarm: use --force-dirty to remove anyway');
  }
  removeLogs(swarm.home, name);
  await removeHeartbeat(swarm, name);
  await removeWorker(swarm, name);
  swarm.say(`cleaned ${name}`);
}
