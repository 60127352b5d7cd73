/** `swarm ralph init`, `template`, `status`, `list`, `logs` and `clean`: the files of a loop, and its journal. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { errnoOf, RalphError } from '../../../core/error.ts';
import { reasonOf } from '../../../core/system-fault.ts';
import { continueCommand } from '../../../loops/swarm/ralph/closing.ts';
import {
  exitReason,
  forgetLoop,
  iterationsLog,
  type RalphStatus,
  ralphFolder,
  ralphFolders,
} from '../../../loops/swarm/ralph/files.ts';
import { isTurned, type KnownRalph, knownRalph, ralphNamed, ralphNames } from '../../../loops/swarm/ralph/find.ts';
import { isWorkerAlive, statusOf } from '../../../loops/swarm/workers/liveness.ts';
import { columns, isName } from '../../../loops/swarm/workers/record.ts';
import { findWorker, readWorkers } from '../../../loops/swarm/workers/registry.ts';
import { refused, type Swarm } from '../../../loops/swarm/workers/swarm.ts';
import { ifThere, writeFile } from '../../../process/files.ts';
import { removeFolder } from '../../../state/folders.ts';
import { printable } from '../../../stream/printable.ts';

const FILE = 'PROMPT.md';

/** Word for word as seed 000 has it. */
export const PROMPT_TEMPLATE = `study specs/README.md
study CLAUDE.md and pick the most important incomplete task

IMPORTANT:

- do not assume anything is implemented - verify by reading code
- update IMPLEMENTATION_PLAN.md when the task is done
- if tests are missing, add them (choose unit/integration/property as appropriate, follow existing patterns)
- run tests after changes
- commit and push when you are done
`;

export function initPrompt({ cwd, say }: Swarm, { force = false }: { readonly force?: boolean }): void {
  const path = join(cwd, FILE);
  try {
    writeFile(path, PROMPT_TEMPLATE, { flag: 'wx' });
    say(`created ${FILE}`);
    return;
  } catch (error) {
    if (errnoOf(error) !== 'EEXIST') throw refused(`cannot write ${FILE}: ${reasonOf(error)}`);
  }
  if (!force) throw refused(`${FILE} already exists (use --force to overwrite)`);
  writeFile(path, PROMPT_TEMPLATE);
  say(`created ${FILE} (overwritten)`);
}

export const printTemplate = ({ show }: Swarm): void => show(PROMPT_TEMPLATE);

export function cleanLoops(swarm: Swarm, name: string | undefined, { all = false }: { readonly all?: boolean }): void {
  for (const each of chosen(name, all, swarm)) {
    const record = findWorker(swarm, each);
    const isAlive = record !== undefined && isWorkerAlive(swarm, record);
    if (isAlive || isTurned(swarm, each))
      swarm.warn(`swarm: warning: worker '${each}' is still running (only ralph state removed)`);
    // A running loop is not forgotten: it writes its state file again at its next step.
    else forgetLoop(swarm.home, each);
    removeFolder(ralphFolder(swarm.home, each));
    swarm.say(`cleaned ralph state for ${each}`);
  }
}

function chosen(name: string | undefined, all: boolean, { home }: Swarm): string[] {
  const folder = ralphFolders(home);
  if (all) return existsSync(folder) ? readdirSync(folder).filter(isName).sort() : [];
  if (name === undefined) throw refused('must specify worker name or use --all');
  if (!existsSync(ralphFolder(home, name))) throw refused(`no ralph state found for worker '${name}'`);
  return [name];
}

export function showStatus(swarm: Swarm, name: string): void {
  const known = ralphNamed(swarm, name);
  const state = known.view;
  const lines = [
    `Ralph Loop: ${name}`,
    `Status: ${state.status}`,
    `Iteration: ${state.current_iteration}/${state.max_iterations}`,
    `Started: ${withoutFraction(state.started)}`,
    `Current iteration started: ${withoutFraction(state.last_iteration_started)}`,
    `Consecutive failures: ${state.consecutive_failures}`,
    `Total failures: ${state.total_failures}`,
    `Inactivity timeout: ${state.inactivity_timeout}s`,
    ...(state.done_pattern === null ? [] : [`Done pattern: ${state.done_pattern}`]),
    ...(state.sandbox === undefined ? [] : [`Sandbox: ${state.sandbox}, refusals: ${state.sandbox_refusals ?? 0}`]),
    ...(known.found.lastRun?.complaint === undefined ? [] : [`Last run: ${printable(known.found.lastRun.complaint)}`]),
    ...howItStands(name, known),
  ];
  swarm.say(lines.join('\n'));
}

/** `2024-01-15 10:30:00` */
const withoutFraction = (time: string) => time.slice(0, 19).replace('T', ' ');

/** Lines below those of the seed: how the loop ended, or that it has no supervisor, and what to do about that. */
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

export function listLoops(
  swarm: Swarm,
  { format, status }: { readonly format: 'table' | 'json' | 'names'; readonly status: 'all' | RalphStatus },
): void {
  const workers = new Map(readWorkers(swarm).map((record) => [record.name, statusOf(swarm, record)]));
  const loops = ralphNames(swarm.home)
    .flatMap((name) => knownOrNone(swarm, name))
    .filter(({ view }) => status === 'all' || view.status === status);
  const workerStatus = ({ view }: KnownRalph): string => workers.get(view.worker_name) ?? 'removed';
  const asJson = (loop: KnownRalph) => ({
    ...loop.view,
    worker_status: workerStatus(loop),
    exit_reason: loop.found.state.phase.at === 'over' ? exitReason(loop.found.state.phase.ending) : null,
    supervisor_pid: loop.supervisor?.pid ?? null,
  });
  const asRow = (loop: KnownRalph): string[] => [
    loop.view.worker_name,
    loop.view.status,
    workerStatus(loop),
    `${loop.view.current_iteration}/${loop.view.max_iterations}`,
    `${loop.view.consecutive_failures}/${loop.view.total_failures}`,
    supervisorCell(loop),
  ];
  const header = ['NAME', 'RALPH_STATUS', 'WORKER_STATUS', 'ITERATION', 'FAILURES', 'SUPERVISOR'];
  if (format === 'json') swarm.say(JSON.stringify(loops.map(asJson), null, 2));
  else if (format === 'names') swarm.show(loops.map(({ view }) => `${view.worker_name}\n`).join(''));
  else swarm.show(columns(header, loops.map(asRow)).replaceAll(/ +$/gm, ''));
}

/** A loop that cannot be read is reported, and does not hide the others. */
function knownOrNone(swarm: Swarm, name: string): KnownRalph[] {
  try {
    return [knownRalph(swarm, name) ?? []].flat();
  } catch (error) {
    if (!(error instanceof RalphError)) throw error;
    swarm.warn(`swarm: warning: cannot read the loop of '${name}': ${error.message}`);
    return [];
  }
}

function supervisorCell({ found, supervisor, isSupervised }: KnownRalph): string {
  if (found.isOver) return '-';
  if (!isSupervised) return 'none';
  return supervisor === null ? 'elsewhere' : String(supervisor.pid);
}

export async function showIterations(swarm: Swarm, name: string, flags: { lines?: number; live?: boolean }) {
  const { lines, live = false } = flags;
  const log = iterationsLog(swarm.home, name);
  // Read even with `--live`, so that a missing log is reported instead of waiting for it forever.
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
