/** A worker's record in `state.json`: its fields, valid names, its sandbox, and what that has refused. */
import { aligned } from '../../../core/text/aligned.ts';
import { isFields, isStrings } from '../../../core/text/json.ts';
import { describeRefusal, readRefusals } from '../../../runners/sandbox/refusals.ts';
import type { SandboxRequest } from '../../../runners/sandbox/request.ts';
import { printable } from '../../../stream/printable.ts';
import { refused, workerFiles } from './swarm.ts';

export interface WorkerRecord {
  readonly name: string;
  readonly status: 'running' | 'stopped';
  readonly cmd: readonly string[];
  /** Local time, as `2024-01-15T10:30:00.123456`. */
  readonly started: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly tags: readonly string[];
  readonly tmux: { readonly session: string; readonly window: string; readonly socket: string | null } | null;
  readonly worktree: { readonly path: string; readonly branch: string; readonly base_repo: string } | null;
  readonly pid: number | null;
  readonly metadata: Readonly<Record<string, unknown>>;
}

export const isRalph = ({ metadata }: WorkerRecord) => metadata.ralph === true;

/** Where it runs, for messages: `tmux: swarm:agent` or `pid: 4711`. */
export function describePlace({ tmux, pid }: WorkerRecord): string {
  return tmux === null ? `pid: ${pid ?? '-'}` : `tmux: ${tmux.session}:${tmux.window}`;
}

/** Fills in what an older or edited file lacks; null if it is not a worker. */
export function parseRecord(value: unknown): WorkerRecord | null {
  if (typeof value !== 'object' || value === null) return null;
  const given = value as Partial<WorkerRecord>;
  if (typeof given.name !== 'string' || !Array.isArray(given.cmd)) return null;
  return {
    ...given,
    name: given.name,
    status: given.status === 'stopped' ? 'stopped' : 'running',
    cmd: given.cmd.map(String),
    started: given.started ?? '',
    cwd: given.cwd ?? '/',
    env: given.env ?? {},
    tags: given.tags ?? [],
    tmux: given.tmux ?? null,
    worktree: given.worktree ?? null,
    pid: given.pid ?? null,
    metadata: given.metadata ?? {},
  };
}

/** How long ago, in the largest unit: `45s`, `15m`, `6h`, `3d`; `-` for a time that cannot be read. */
export function timeSince(started: string, now: Date): string {
  const seconds = Math.floor((now.getTime() - new Date(started).getTime()) / 1000);
  if (Number.isNaN(seconds)) return '-';
  if (seconds < 60) return `${Math.max(seconds, 0)}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)}h` : `${Math.floor(seconds / 86_400)}d`;
}

/** Workers' names are used for files, windows and branches. */
const LONGEST = 100;

export function isName(name: string): boolean {
  const isPlain = /^[^\s./:#\p{Cc}-][^/:#\p{Cc}]*$/u.test(name);
  return isPlain && name.length <= LONGEST && !name.endsWith(';');
}

export function checkName(name: string): void {
  if (isName(name)) return;
  const hint = `A name begins with a letter, a digit or "_", holds no "/", ":" or "#", and has at most ${LONGEST} characters.`;
  throw refused(`invalid worker name '${name}'`, 1, hint);
}

export function sandboxMetadata(request: SandboxRequest | null): { readonly sandbox?: SandboxRequest } {
  return request === null || request.kind === 'none' ? {} : { sandbox: request };
}

/** People can edit the record: if its sandbox cannot be read, the worker must not run without one. */
export function sandboxOf({ name, metadata }: Pick<WorkerRecord, 'name' | 'metadata'>): SandboxRequest | null {
  const { sandbox = null } = metadata;
  if (sandbox === null || isRequest(sandbox)) return sandbox;
  throw refused(`the sandbox of worker '${name}' cannot be read from its record`, 1, 'Start it again: swarm spawn');
}

function isRequest(value: unknown): value is SandboxRequest {
  if (!isFields(value)) return false;
  const { kind, settleMs, allowHosts, allowWrite, denyWrite, denyRead } = value;
  const isKnown = (kind === 'os' || kind === 'docker') && (settleMs === null || typeof settleMs === 'number');
  return isKnown && [allowHosts, allowWrite, denyWrite, denyRead].every(isStrings);
}

/** Empty, without a header, if there are no rows. */
export function columns(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return rows.length === 0 ? '' : `${aligned([header, ...rows]).join('\n')}\n`;
}

/** As sentences that are safe to print. */
export function refusalsOf(home: string, name: string): string[] {
  return readRefusals(workerFiles(home, name).refusals).map((refusal) => printable(describeRefusal(refusal)));
}
