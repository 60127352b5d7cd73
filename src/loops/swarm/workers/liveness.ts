/** Whether a worker runs, how one is started as a process, and its end. Only touches what is provably the worker's. */
import { randomBytes } from 'node:crypto';
import { existsSync, rmSync } from 'node:fs';
import type { Duration } from '../../../core/time.ts';
import { stepOut } from '../../../process/containment/cgroup.ts';
import { endRun } from '../../../process/end.ts';
import { makeFolders, readOwnJson, writeFile } from '../../../process/files.ts';
import { identify, isRunning, type ProcessIdentity } from '../../../process/identity/identity.ts';
import { LaunchError, launch } from '../../../process/launch.ts';
import { readLastTrace } from '../../../process/trace.ts';
import type { Pane } from '../../../tmux/pane.ts';
import { isAlive, killWindow, paneOfWindow, readMadeWindow, readWindow, serverIsAlive } from '../../../tmux/window.ts';
import { MARK_PREFIX, withoutWorkerMarks, workerContainment } from '../../../tmux/worker-mark.ts';
import type { WorkerRecord } from './record.ts';
import { refused, type Swarm, workerFiles } from './swarm.ts';

const GRACE: Duration = 5000;

export function isWorkerAlive({ home }: Swarm, { name, tmux }: WorkerRecord): boolean {
  if (tmux === null) {
    const leader = readOwnJson(workerFiles(home, name).leader) as ProcessIdentity | null;
    return leader !== null && isRunning(leader);
  }
  const window = windowOf(home, name);
  return window !== null && isAlive(window);
}

export function statusOf(swarm: Swarm, record: WorkerRecord): WorkerRecord['status'] {
  return isWorkerAlive(swarm, record) ? 'running' : 'stopped';
}

/** Starts the worker in a session of its own, with its output in two files. Returns its pid. */
export async function startProcess(swarm: Swarm, { name, cmd, cwd, env }: WorkerRecord): Promise<number> {
  const [program = '', ...args] = cmd;
  const { process: folder, leader: proof, logs, logsFolder } = workerFiles(swarm.home, name);
  rmSync(folder, { recursive: true, force: true });
  for (const each of [folder, logsFolder]) makeFolders(each, 0o700);
  if (!existsSync(cwd)) throw new LaunchError(program, new Error(`no such directory: ${cwd}`));
  const { pid, exited } = await launch({
    argv: [program, ...args],
    cwd,
    env: { ...withoutWorkerMarks(swarm.env), ...env },
    folder,
    mark: `${MARK_PREFIX}${randomBytes(16).toString('hex')}`,
    stdout: logs.stdout,
    stderr: logs.stderr,
    containment: workerContainment(swarm.containment),
    grace: GRACE,
  });
  // Not awaited here, so ignore how it ends.
  exited.catch(() => undefined);
  const leader = identify(pid);
  // A process that has already ended needs no proof.
  if (leader !== null) writeFile(proof, JSON.stringify(leader), { mode: 0o600 });
  return pid;
}

export async function endWorker({ home, env }: Swarm, name: string): Promise<void> {
  const files = workerFiles(home, name);
  const window = readWindow(files.window);
  if (window !== null) await killWindow(window, env);
  const trace = readLastTrace(files.process);
  if (trace !== null) {
    // A worker can run this command on itself: leave its cgroup first.
    if (trace.plan.leaf !== null) stepOut(trace.plan.leaf);
    await endRun(trace, GRACE);
  }
  // Most workers have no sandbox, and need not load its code.
  if (existsSync(files.sandbox)) (await import('./sandbox.ts')).forgetSandbox(home, name);
}

/** The pane of a worker that must be a running tmux worker. */
export async function paneOf({ home, env }: Swarm, { name, tmux }: WorkerRecord): Promise<Pane> {
  if (tmux === null) throw refused(`worker '${name}' is not a tmux worker`);
  const window = windowOf(home, name);
  const pane = window === null ? null : paneOfWindow(window, env);
  if (pane !== null && (await pane.isThere())) return pane;
  const log = workerFiles(home, name).logs.tmux;
  const ended = `The tmux server it ran in has ended. Its output is in ${log}; \`swarm respawn ${name}\` starts it again.`;
  // The command can survive its window.
  const outlived = window !== null && isAlive(window) ? 'its tmux window is gone' : undefined;
  const hint = window === null || serverIsAlive(window) ? outlived : ended;
  throw refused(`worker '${name}' is not running`, 1, hint);
}

export const windowOf = (home: string, name: string) => readMadeWindow(workerFiles(home, name).window);

/** Unless `raw`, first presses Escape and C-u, to close menus and clear drafts. */
export async function sendText(pane: Pane, text: string, { raw, enter }: { raw: boolean; enter: boolean }) {
  for (const key of raw ? [] : ['Escape', 'C-u']) await pane.press(key);
  await pane.type(text);
  if (enter) await pane.press('Enter');
}
