/** What there is: the table, the names, the JSON, and one worker's line. What runs is looked up, not remembered. */
import { isWorkerAlive } from './life.ts';
import { isRalph, timeSince, type WorkerRecord } from './record.ts';
import { readWorkers } from './registry.ts';
import { refusalsOf, sandboxOf } from './sandbox-record.ts';
import type { Swarm } from './swarm.ts';

export interface ListRequest {
  readonly format: 'table' | 'json' | 'names';
  readonly status: 'running' | 'stopped' | 'all';
  readonly tag?: string;
}

export function listWorkers(swarm: Swarm, { format, status, tag }: ListRequest): string {
  const workers = readWorkers(swarm)
    .map((record) => ({ ...record, status: statusOf(swarm, record), ...refusalsIn(swarm, record) }))
    .filter((record) => status === 'all' || record.status === status)
    .filter((record) => tag === undefined || record.tags.includes(tag));
  if (format === 'json') return `${JSON.stringify(workers, null, 2)}\n`;
  return format === 'names' ? workers.map(({ name }) => `${name}\n`).join('') : table(workers);
}

export function statusOf(swarm: Swarm, record: WorkerRecord): 'running' | 'stopped' {
  return isWorkerAlive(swarm, record) ? 'running' : 'stopped';
}

/** What the sandbox of a worker has refused it so far; nothing for one that has none. */
function refusalsIn(swarm: Swarm, record: WorkerRecord): { readonly refusals?: number } {
  return record.metadata.sandbox === undefined ? {} : { refusals: countRefusals(swarm, record) };
}

function countRefusals(swarm: Swarm, record: WorkerRecord): number {
  return isRalph(record) ? swarm.ralph.refusals(record) : refusalsOf(swarm.home, record.name).length;
}

export function statusLine(swarm: Swarm, record: WorkerRecord, status: 'running' | 'stopped'): string {
  const { name, tmux, pid, worktree, started } = record;
  const where = tmux === null ? `pid ${pid ?? '-'}` : `tmux window ${tmux.session}:${tmux.window}`;
  const tree = worktree === null ? '' : `, worktree ${worktree.path}`;
  const kind = sandboxOf(record)?.kind;
  const box = kind === undefined ? '' : `, sandbox ${kind}, refusals ${countRefusals(swarm, record)}`;
  return `${name}: ${status} (${where}${tree}${box}, uptime ${timeSince(started, new Date())})`;
}

/** Columns as wide as their widest cell, two blanks apart; nothing at all without rows. */
export function columns(header: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const all = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all.map((row) => `${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}\n`).join('');
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
