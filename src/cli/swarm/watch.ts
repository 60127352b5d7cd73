/** `swarm ls`, `status`, `logs`, `peek`, `attach` and `wait`: what there is, what it shows, and whether it runs. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Duration } from '../../core/time.ts';
import { logPath } from '../../loops/swarm/workers/home.ts';
import { isWorkerAlive, paneIfRunning, paneOf, windowOf } from '../../loops/swarm/workers/life.ts';
import {
  type ListRequest,
  lastLines,
  listWorkers,
  outputOf,
  statusLine,
  statusOf,
} from '../../loops/swarm/workers/list.ts';
import { refusalsOf, type WorkerRecord } from '../../loops/swarm/workers/record.ts';
import { findWorker, readWorkers, workerNamed } from '../../loops/swarm/workers/registry.ts';
import { notFound, refused, type Swarm } from '../../loops/swarm/workers/swarm.ts';
import { TmuxError } from '../../tmux/command.ts';
import type { Pane } from '../../tmux/window.ts';

export function lsCommand(swarm: Swarm, request: ListRequest): void {
  swarm.show(listWorkers(swarm, request));
}

export function statusCommand(swarm: Swarm, name: string): number {
  const record = workerNamed(swarm, name, 2);
  const status = statusOf(swarm, record);
  swarm.say(statusLine(swarm, record, status));
  // Those of a loop are in its log, with its iterations.
  for (const refusal of refusalsOf(swarm.home, name)) swarm.say(`  Sandbox: ${refusal}`);
  return status === 'running' ? 0 : 1;
}

const SHOW_EVERY: Duration = 1000;
const FOLLOWED_LINES = 30;
const CLEAR_SCREEN = '\x1b[2J\x1b[H';

export async function logsCommand(
  swarm: Swarm,
  name: string,
  { history = false, lines, follow = false }: { history?: boolean; lines: number; follow?: boolean },
): Promise<number> {
  const record = findWorker(swarm, name);
  if (record === undefined) {
    swarm.warn(`swarm: no worker named '${name}'`);
    return 1;
  }
  if (follow && record.tmux !== null) return followScreen(swarm, record, { history, lines });
  const file = logPath(swarm.home, name, 'stdout');
  if (follow && existsSync(file)) return followFile(file);
  const output = await outputOf(swarm, record, { history, lines });
  if (output === null) {
    swarm.warn(`swarm: no logs found for ${name}`);
    return 1;
  }
  swarm.show(output);
  return 0;
}

/** Until the worker has ended, or Ctrl-C. */
async function followScreen(
  swarm: Swarm,
  record: WorkerRecord,
  what: { readonly history: boolean; readonly lines: number },
): Promise<number> {
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  for (let runs = true; runs && !stop.signal.aborted; ) {
    runs = isWorkerAlive(swarm, record);
    // A worker that ends while we look is shown once more, from its log.
    const output = await outputOf(swarm, record, what).catch(() => null);
    swarm.show(`${CLEAR_SCREEN}${lastLines(output ?? '', FOLLOWED_LINES)}`);
    if (runs) await sleep(SHOW_EVERY, undefined, { signal: stop.signal }).catch(() => undefined);
  }
  return 0;
}

function followFile(file: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const interrupted = new AbortController();
    const end = (): void => interrupted.abort();
    // Before the start: a Ctrl-C may come as soon as there is a line to see.
    process.once('SIGINT', end).once('SIGTERM', end).once('SIGHUP', end);
    const tail = spawn('tail', ['-f', file], { stdio: ['ignore', 'inherit', 'inherit'] });
    interrupted.signal.addEventListener('abort', () => void tail.kill('SIGTERM'), { once: true });
    tail.once('error', reject);
    tail.once('exit', (code) => resolve(code ?? 0));
  });
}

export async function peekCommand(
  swarm: Swarm,
  name: string | undefined,
  { lines, all = false }: { lines: number; all?: boolean },
): Promise<void> {
  if (all) {
    for (const record of readWorkers(swarm)) {
      const pane = await paneIfRunning(swarm, record);
      if (pane !== null) swarm.show(`=== ${record.name} ===\n${await peek(pane, record.name, lines)}\n`);
    }
    return;
  }
  if (name === undefined) throw refused('worker name required (or use --all)');
  swarm.show(await peek(await paneOf(swarm, workerNamed(swarm, name, 2)), name, lines));
}

async function peek(pane: Pane, name: string, lines: number): Promise<string> {
  try {
    return lastLines(await pane.capture(lines), lines);
  } catch (error) {
    if (error instanceof TmuxError) throw refused(`failed to capture pane for '${name}': ${error.message}`);
    throw error;
  }
}

/** Hands the terminal to tmux, with the worker's window in front. */
export async function attachCommand(swarm: Swarm, name: string): Promise<number> {
  const { tmux } = await paneOf(swarm, workerNamed(swarm, name));
  const window = windowOf(swarm.home, name);
  if (window === null) throw notFound(name);
  // By ids: the window may have been renamed or moved to another session.
  const session = (await tmux.run(['display-message', '-p', '-t', window.paneId, '#{session_id}'])).trim();
  await tmux.run(['select-window', '-t', `${session}:${window.windowId}`]);
  // A client of the same server is switched; tmux refuses to put a server inside of itself.
  const isInside = swarm.env.TMUX?.startsWith(`${window.address.socketPath},`) === true;
  const args = [...tmux.prefix, isInside ? 'switch-client' : 'attach-session', '-t', session];
  return new Promise((resolve, reject) => {
    const child = spawn('tmux', args, { env: swarm.env, stdio: 'inherit' });
    child.once('error', reject);
    child.once('exit', (code) => resolve(code ?? 1));
  });
}

/** A look costs a few file reads per worker. */
const LOOK_EVERY: Duration = 100;

export async function waitCommand(
  swarm: Swarm,
  name: string | undefined,
  { all = false, timeout }: { all?: boolean; timeout?: number },
): Promise<number> {
  const deadline = timeout === undefined ? Number.POSITIVE_INFINITY : performance.now() + timeout * 1000;
  // Read anew each time: a worker that is started again meanwhile is waited for too.
  const running = () => readWorkers(swarm).filter((record) => isWorkerAlive(swarm, record));
  if (!all && name === undefined) throw refused('name required (or use --all)');
  let pending = all ? running().map((record) => record.name) : [workerNamed(swarm, name ?? '').name];
  for (;;) {
    const left = new Set(running().map((record) => record.name));
    for (const ended of pending.filter((each) => !left.has(each))) swarm.say(`${ended}: exited`);
    pending = pending.filter((each) => left.has(each));
    if (pending.length === 0) return 0;
    if (performance.now() >= deadline) {
      for (const each of pending) swarm.say(`${each}: still running (timeout)`);
      return 1;
    }
    await sleep(Math.min(LOOK_EVERY, Math.max(0, deadline - performance.now())));
  }
}
