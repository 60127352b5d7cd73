/** `swarm ls`, `status` and `wait`: which workers there are, and whether they run, which is checked each time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { knownRalph } from '../../loops/swarm/ralph/find.ts';
import { isWorkerAlive, statusOf } from '../../loops/swarm/workers/liveness.ts';
import {
  columns,
  isRalph,
  refusalsOf,
  sandboxOf,
  timeSince,
  type WorkerRecord,
} from '../../loops/swarm/workers/record.ts';
import { readWorkers, workerNamed } from '../../loops/swarm/workers/registry.ts';
import { refused, type Swarm } from '../../loops/swarm/workers/swarm.ts';

interface ListFlags {
  readonly format: 'table' | 'json' | 'names';
  readonly status: 'running' | 'stopped' | 'all';
  readonly tag?: string;
}

export function lsCommand(swarm: Swarm, { format, status, tag }: ListFlags): void {
  const refusals = (record: WorkerRecord) =>
    record.metadata.sandbox === undefined ? {} : { refusals: countRefusals(swarm, record) };
  const workers = readWorkers(swarm)
    .map((record) => ({ ...record, status: statusOf(swarm, record), ...refusals(record) }))
    .filter((record) => status === 'all' || record.status === status)
    .filter((record) => tag === undefined || record.tags.includes(tag));
  if (format === 'json') swarm.say(JSON.stringify(workers, null, 2));
  else if (format === 'names') swarm.show(workers.map(({ name }) => `${name}\n`).join(''));
  else swarm.show(table(workers));
}

function table(workers: readonly WorkerRecord[]): string {
  const now = new Date();
  const rows = workers.map(({ name, status, tmux, pid, started, worktree, tags }) => [
    name,
    status,
    tmux === null ? String(pid ?? '-') : `${tmux.session}:${tmux.window}`,
    timeSince(started, now),
    worktree?.path ?? '-',
    tags.join(',') || '-',
  ]);
  return columns(['NAME', 'STATUS', 'PID/WINDOW', 'STARTED', 'WORKTREE', 'TAG'], rows);
}

function countRefusals(swarm: Swarm, record: WorkerRecord): number {
  if (isRalph(record)) return knownRalph(swarm, record.name)?.view.sandbox_refusals ?? 0;
  return refusalsOf(swarm.home, record.name).length;
}

export function statusCommand(swarm: Swarm, name: string): number {
  const record = workerNamed(swarm, name, 2);
  const { tmux, pid, worktree, started } = record;
  const status = statusOf(swarm, record);
  const where = tmux === null ? `pid ${pid ?? '-'}` : `tmux window ${tmux.session}:${tmux.window}`;
  const tree = worktree === null ? '' : `, worktree ${worktree.path}`;
  const kind = sandboxOf(record)?.kind;
  const box = kind === undefined ? '' : `, sandbox ${kind}, refusals ${countRefusals(swarm, record)}`;
  swarm.say(`${name}: ${status} (${where}${tree}${box}, uptime ${timeSince(started, new Date())})`);
  // The refusals of a loop are in its log, with its iterations.
  for (const refusal of refusalsOf(swarm.home, name)) swarm.say(`  Sandbox: ${refusal}`);
  return status === 'running' ? 0 : 1;
}

const FOR_EVER = Number.POSITIVE_INFINITY;

export async function waitCommand(swarm: Swarm, name: string | undefined, { all = false, timeout = FOR_EVER }) {
  const deadline = performance.now() + timeout * 1000;
  // Read again each time: a worker that is restarted in the meantime is waited for, too.
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
    // A check costs a few file reads per worker.
    await sleep(Math.min(100, Math.max(0, deadline - performance.now())));
  }
}
