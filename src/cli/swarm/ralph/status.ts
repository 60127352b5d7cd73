/** `swarm ralph status`, `list` and `logs`: what the state files and the iteration logs say. */
import { readdirSync, readFileSync } from 'node:fs';
import { errnoOf } from '../../../core/error.ts';
import { iterationsLog } from '../../../doors/swarm/ralph/iterations-log.ts';
import {
  type RalphState,
  type RalphStatus,
  ralphFolders,
  readRalphState,
} from '../../../doors/swarm/ralph/state-file.ts';
import { readable } from '../../../doors/swarm/ralph/times.ts';
import { refused, type Swarm } from '../../../doors/swarm/workers/swarm.ts';
import { isName } from '../../../doors/swarm/workers/worker-name.ts';

export function showStatus(name: string, swarm: Swarm): number {
  const state = ralphStateOr(name, swarm);
  const lines = [
    `Ralph Loop: ${name}`,
    `Status: ${state.status}`,
    `Iteration: ${state.current_iteration}/${state.max_iterations}`,
    `Started: ${readable(state.started)}`,
    `Current iteration started: ${readable(state.last_iteration_started)}`,
    `Consecutive failures: ${state.consecutive_failures}`,
    `Total failures: ${state.total_failures}`,
    `Inactivity timeout: ${state.inactivity_timeout}s`,
    ...(state.done_pattern === null ? [] : [`Done pattern: ${state.done_pattern}`]),
    ...(state.sandbox === undefined ? [] : [`Sandbox: ${state.sandbox}, refusals: ${state.sandbox_refusals ?? 0}`]),
  ];
  for (const line of lines) swarm.say(line);
  return 0;
}

/** Throws for a worker that has no loop. */
export function ralphStateOr(name: string, { home, warn }: Swarm): RalphState {
  const state = readRalphState(home.path, name, warn);
  if (state === null) throw refused(`worker '${name}' is not a ralph worker`);
  return state;
}

export interface ListFlags {
  readonly format: 'table' | 'json' | 'names';
  readonly status: 'all' | RalphStatus;
}

/** `workerStatus` tells `running` or `stopped`, and null for a worker that is gone. */
export function listLoops(
  flags: ListFlags,
  swarm: Swarm,
  workerStatus: ReadonlyMap<string, 'running' | 'stopped'>,
): number {
  const states = namesIn(ralphFolders(swarm.home.path))
    .filter(isName)
    .map((name) => readRalphState(swarm.home.path, name, swarm.warn))
    .filter((state) => state !== null)
    .filter(({ status }) => flags.status === 'all' || status === flags.status);
  const statusOf = (state: RalphState): string => workerStatus.get(state.worker_name) ?? 'removed';
  if (flags.format === 'json') {
    const rows = states.map((state) => ({ ...state, worker_status: statusOf(state) }));
    swarm.say(JSON.stringify(rows, null, 2));
  } else if (flags.format === 'names') {
    for (const { worker_name } of states) swarm.say(worker_name);
  } else if (states.length > 0) {
    const rows = states.map((state) => [
      state.worker_name,
      state.status,
      statusOf(state),
      `${state.current_iteration}/${state.max_iterations}`,
      `${state.consecutive_failures}/${state.total_failures}`,
    ]);
    for (const line of table([['NAME', 'RALPH_STATUS', 'WORKER_STATUS', 'ITERATION', 'FAILURES'], ...rows])) {
      swarm.say(line);
    }
  }
  return 0;
}

export function showIterations(name: string, lines: number | null, swarm: Swarm): number {
  let text: string;
  try {
    text = readFileSync(iterationsLog(swarm.home.path, name), 'utf8');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') throw refused(`no iteration log found for worker '${name}'`);
    throw error;
  }
  const all = text.split('\n').filter((line) => line !== '');
  for (const line of lines === null ? all : all.slice(-lines)) swarm.say(line);
  return 0;
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}
