/** `swarm ralph status`, `list` and `logs`: what the journals and the iteration logs say. */
import { readFileSync } from 'node:fs';
import { type Environment, readEnvironment } from '../../../config/environment.ts';
import { errnoOf, RalphError } from '../../../core/error.ts';
import { continueCommand } from '../../../loops/swarm/ralph/closing.ts';
import { exitReason } from '../../../loops/swarm/ralph/exit-reason.ts';
import { type KnownRalph, knownRalph, knownRalphOr, ralphNames } from '../../../loops/swarm/ralph/find.ts';
import { iterationsLog } from '../../../loops/swarm/ralph/iterations-log.ts';
import type { RalphStatus } from '../../../loops/swarm/ralph/state-file.ts';
import { readable } from '../../../loops/swarm/ralph/times.ts';
import { refused, type Swarm } from '../../../loops/swarm/workers/swarm.ts';
import { printable } from '../../../stream/printable.ts';

export function showStatus(name: string, swarm: Swarm): number {
  const known = knownRalphOr(name, swarm, readEnvironment(swarm.env));
  const state = known.view;
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
    ...(known.found.lastRun?.complaint === undefined ? [] : [`Last run: ${printable(known.found.lastRun.complaint)}`]),
    ...howItStands(name, known),
  ];
  for (const line of lines) swarm.say(line);
  return 0;
}

/** Below the seed's lines: how it ended, or that nobody turns it and what to do about that. */
function howItStands(name: string, { found, isSupervised }: KnownRalph): string[] {
  const { phase } = found.state;
  if (phase.at === 'over') {
    const command = continueCommand(found.state, phase.ending);
    return [`Exit reason: ${exitReason(phase.ending)}`, ...(command === null ? [] : [`To continue, run: ${command}`])];
  }
  if (isSupervised) return [];
  return [
    ...(found.problem === null ? [] : [`Problem: ${found.problem}`]),
    `Supervisor: none (to continue, run: swarm ralph resume ${name})`,
  ];
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
  const environment = readEnvironment(swarm.env);
  const loops = ralphNames(swarm.home.path)
    .flatMap((name) => knownOrNone(name, swarm, environment))
    .filter(({ view }) => flags.status === 'all' || view.status === flags.status);
  const statusOf = ({ view }: KnownRalph): string => workerStatus.get(view.worker_name) ?? 'removed';
  if (flags.format === 'json') {
    const rows = loops.map((loop) => ({ ...loop.view, worker_status: statusOf(loop), ...more(loop) }));
    swarm.say(JSON.stringify(rows, null, 2));
  } else if (flags.format === 'names') {
    for (const { view } of loops) swarm.say(view.worker_name);
  } else if (loops.length > 0) {
    const rows = loops.map((loop) => [
      loop.view.worker_name,
      loop.view.status,
      statusOf(loop),
      `${loop.view.current_iteration}/${loop.view.max_iterations}`,
      `${loop.view.consecutive_failures}/${loop.view.total_failures}`,
      supervisorCell(loop),
    ]);
    const header = ['NAME', 'RALPH_STATUS', 'WORKER_STATUS', 'ITERATION', 'FAILURES', 'SUPERVISOR'];
    for (const line of table([header, ...rows])) swarm.say(line);
  }
  return 0;
}

/** One that cannot be read is reported, and does not hide the others. */
function knownOrNone(name: string, swarm: Swarm, environment: Environment): KnownRalph[] {
  try {
    return [knownRalph(name, swarm, environment) ?? []].flat();
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    swarm.warn(`swarm: warning: cannot read the loop of '${name}': ${error.message}`);
    return [];
  }
}

function more({ found, supervisor }: KnownRalph): { exit_reason: string | null; supervisor_pid: number | null } {
  const { phase } = found.state;
  return {
    exit_reason: phase.at === 'over' ? exitReason(phase.ending) : null,
    supervisor_pid: supervisor?.pid ?? null,
  };
}

function supervisorCell({ found, supervisor, isSupervised }: KnownRalph): string {
  if (found.isOver) return '-';
  if (!isSupervised) return 'none';
  return supervisor === null ? 'elsewhere' : String(supervisor.pid);
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
