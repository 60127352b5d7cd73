/** What there is and what it prints: the table, one worker's line, its screen or its log. What runs is looked up, not remembered. */
import { existsSync, readFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { logIsWhole, serverIsAlive } from '../../../tmux/window.ts';
import { logPath, windowFolder } from './home.ts';
import { isWorkerAlive, paneOf, windowOf } from './life.ts';
import { isRalph, refusalsOf, sandboxOf, timeSince, type WorkerRecord } from './record.ts';
import { readWorkers } from './registry.ts';
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

/** Null when nothing was kept. `history`: so many lines before the screen too. */
export async function outputOf(
  swarm: Swarm,
  record: WorkerRecord,
  { history, lines }: { readonly history: boolean; readonly lines: number },
): Promise<string | null> {
  if (record.tmux === null) return readLog(logPath(swarm.home, record.name, 'stdout'));
  if (isWorkerAlive(swarm, record)) {
    const pane = await paneOf(swarm, record);
    return lastLines(await pane.capture(history ? lines : 0), Number.POSITIVE_INFINITY);
  }
  const window = windowOf(swarm.home, record.name);
  if (window !== null && serverIsAlive(window, swarm.place))
    await logIsWhole(windowFolder(swarm.home, record.name), window);
  const log = readLog(logPath(swarm.home, record.name, 'tmux'));
  return log === null ? null : lastLines(asText(log), lines);
}

/** The last lines that are not empty, with a line end. */
export function lastLines(text: string, count: number): string {
  const lines = text.trimEnd().split('\n').slice(-count);
  return lines.length === 1 && lines[0] === '' ? '' : `${lines.join('\n')}\n`;
}

function readLog(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}

/** A terminal's stream without what moves the cursor and makes colours. */
function asText(stream: string): string {
  return stripVTControlCharacters(stream)
    .replaceAll('\r\n', '\n')
    .replaceAll(/\r|\p{Cc}(?<!\n|\t)/gu, '');
}
