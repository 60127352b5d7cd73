/** `swarm ralph status`, `list` and `logs`: what the journals and the iteration logs say. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { RalphError } from '../../../core/error.ts';
import { continueCommand } from '../../../loops/swarm/ralph/closing.ts';
import { type KnownRalph, knownRalph, ralphNamed, ralphNames } from '../../../loops/swarm/ralph/find.ts';
import { exitReason, iterationsLog } from '../../../loops/swarm/ralph/iterations-log.ts';
import type { RalphStatus } from '../../../loops/swarm/ralph/state-file.ts';
import { readable } from '../../../loops/swarm/ralph/times.ts';
import { columns, statusOf } from '../../../loops/swarm/workers/list.ts';
import { readWorkers } from '../../../loops/swarm/workers/registry.ts';
import { refused, type Swarm } from '../../../loops/swarm/workers/swarm.ts';
import { ifThere } from '../../../process/files.ts';
import { printable } from '../../../stream/printable.ts';

export function showStatus(swarm: Swarm, name: string): void {
  const known = ralphNamed(swarm, name);
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
}

/** Below the seed's lines: how it ended, or that it has no supervisor and what to do about that. */
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

/** Every loop, with what has become of its worker. */
export function listLoops(
  swarm: Swarm,
  { format, status }: { readonly format: 'table' | 'json' | 'names'; readonly status: 'all' | RalphStatus },
): void {
  const workers = new Map(readWorkers(swarm).map((record) => [record.name, statusOf(swarm, record)]));
  const loops = ralphNames(swarm.home.path)
    .flatMap((name) => knownOrNone(swarm, name))
    .filter(({ view }) => status === 'all' || view.status === status);
  const workerStatus = ({ view }: KnownRalph): string => workers.get(view.worker_name) ?? 'removed';
  if (format === 'json') {
    const rows = loops.map((loop) => ({
      ...loop.view,
      worker_status: workerStatus(loop),
      exit_reason: reasonOf(loop),
      supervisor_pid: loop.supervisor?.pid ?? null,
    }));
    swarm.say(JSON.stringify(rows, null, 2));
    return;
  }
  if (format === 'names') {
    for (const { view } of loops) swarm.say(view.worker_name);
    return;
  }
  const rows = loops.map((loop) => [
    loop.view.worker_name,
    loop.view.status,
    workerStatus(loop),
    `${loop.view.current_iteration}/${loop.view.max_iterations}`,
    `${loop.view.consecutive_failures}/${loop.view.total_failures}`,
    supervisorCell(loop),
  ]);
  const header = ['NAME', 'RALPH_STATUS', 'WORKER_STATUS', 'ITERATION', 'FAILURES', 'SUPERVISOR'];
  swarm.show(columns(header, rows).replaceAll(/ +$/gm, ''));
}

/** One that cannot be read is reported, and does not hide the others. */
function knownOrNone(swarm: Swarm, name: string): KnownRalph[] {
  try {
    return [knownRalph(swarm, name) ?? []].flat();
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    swarm.warn(`swarm: warning: cannot read the loop of '${name}': ${error.message}`);
    return [];
  }
}

function reasonOf({ found }: KnownRalph): string | null {
  const { phase } = found.state;
  return phase.at === 'over' ? exitReason(phase.ending) : null;
}

function supervisorCell({ found, supervisor, isSupervised }: KnownRalph): string {
  if (found.isOver) return '-';
  if (!isSupervised) return 'none';
  return supervisor === null ? 'elsewhere' : String(supervisor.pid);
}

/** The iteration log, once or as it grows. */
export async function showIterations(
  swarm: Swarm,
  name: string,
  { lines, live = false }: { readonly lines?: number; readonly live?: boolean },
): Promise<number> {
  const log = iterationsLog(swarm.home.path, name);
  // Read also where it is followed: says what is missing before it would wait for ever.
  const text = ifThere(() => readFileSync(log, 'utf8'));
  if (text === null) throw refused(`no iteration log found for worker '${name}'`);
  const all = text.split('\n').filter((line) => line !== '');
  if (!live) {
    for (const line of lines === undefined ? all : all.slice(-lines)) swarm.say(line);
    return 0;
  }
  const tail = spawn('tail', ['-n', lines === undefined ? '+1' : String(lines), '-F', log], { stdio: 'inherit' });
  const [code] = (await once(tail, 'exit')) as [number | null];
  return code ?? 0;
}
