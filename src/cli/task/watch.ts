/** `ralph task watch`: reports the progress of tasks until all of them have ended. */
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { RalphError } from '../../core/error.ts';
import { formatGoSeconds } from '../../core/text/duration.ts';
import { checkTaskId } from '../../core/text/task-ids.ts';
import type { Duration, Instant } from '../../core/time.ts';
import { checkTaskExists, type SurveyedTask, surveyTask, tasksIn } from '../../loops/tasks/folder/survey.ts';
import { type ScopeFlags, scopeOf, taskPlace } from '../../loops/tasks/folder/task-folder.ts';
import { isLooping, lastLoop } from '../../loops/tasks/runs/liveness.ts';
import type { EndedRuns } from '../../loops/tasks/runs/run-info.ts';
import { realPathOr } from '../../process/files.ts';
import type { StateRoot } from '../../state/paths.ts';
import { type Terminal, usage } from './terminal.ts';

interface WatchFlags extends Omit<ScopeFlags, 'task'> {
  readonly task: readonly string[];
  readonly timeout: Duration;
  readonly json?: boolean;
}

const LOOK_EVERY: Duration = 200;
/** Changes are reported at once; without changes, the state is repeated this often. */
const REPORT_EVERY: Duration = 2000;
/** A task that is being started elsewhere gets its folder within this time; a mistyped one never does. */
const MADE_WITHIN: Duration = 5000;

type Watched = ReturnType<typeof watched>;

export async function watchCommand(flags: WatchFlags, terminal: Terminal): Promise<number> {
  const { task: named, ...rest } = flags;
  const { environment, cwd, show } = terminal;
  const { root, project } = scopeOf(rest, environment.variables, cwd);
  if (project === null) throw usage('--project is required');
  for (const task of named) checkTaskId(task);
  // Tasks that are at work, blocked, about to start or unreadable; not those that were never started.
  const isUnended = (id: string): boolean => {
    const { active, status, folder } = surveyTask(root, project, id);
    return active.length > 0 || ['blocked', 'unreadable'].includes(status) || isLooping(folder, environment.root);
  };
  const tasks = named.length > 0 ? named : tasksIn(root, project).filter(isUnended);
  const begun = performance.now();
  const isJson = flags.json === true;
  if (!isJson) await show(`Watching ${tasks.length} task(s) for project ${JSON.stringify(project)}:`);
  const ended: EndedRuns = new Map();
  const phases = new Map<string, string>();
  const warned = new Set<string>();
  const seenAt = new Map<string, number>();
  let reported = { what: '', at: 0 };
  for (; ; await sleep(LOOK_EVERY)) {
    for (const id of tasks) {
      if (existsSync(taskPlace(root, project, id).folder)) seenAt.set(id, performance.now());
      else if (performance.now() - (seenAt.get(id) ?? begun) > MADE_WITHIN) checkTaskExists(root, project, id);
    }
    const surveyed = tasks.map((id) => surveyTask(root, project, id, { ended, state: environment.root }));
    for (const fault of surveyed.flatMap(({ faults }) => faults)) {
      if (!warned.has(fault)) terminal.warn(`warning: ${fault}`);
      warned.add(fault);
    }
    const seen = surveyed.map((task) => watched(task, Date.now()));
    const allDone = seen.every(({ done }) => done);
    const what = JSON.stringify(seen.map(({ status, done }) => [status, done]));
    const remaining = begun + flags.timeout - performance.now();
    if (reported.what !== what || performance.now() - reported.at >= REPORT_EVERY || remaining <= 0) {
      reported = { what, at: performance.now() };
      const lines = isJson ? [JSON.stringify({ tasks: seen, all_done: allDone })] : reportLines(seen, phases);
      if (!isJson && !allDone) {
        const waiting = `${countOf(seen, 'active')} active and ${countOf(seen, 'blocked')} blocked task(s)`;
        lines.push(`Waiting for ${waiting}... (timeout in ${formatGoSeconds(Math.max(0, remaining))})`);
      }
      for (const line of lines) await show(line);
    }
    if (allDone) {
      const ends = surveyed.map((task) => endOf(task, environment.root));
      if (!isJson) await show(endedLine(ends));
      return ends.every((end) => end === 'completed') ? 0 : 1;
    }
    if (remaining <= 0) {
      const fact = `timeout after ${formatGoSeconds(flags.timeout)}: not all tasks completed`;
      throw new RalphError('TIMEOUT', fact, { exitCode: 1 });
    }
  }
}

/** `elapsed` is in seconds. */
function watched({ id, status, latest, active, done }: SurveyedTask, now: Instant) {
  const info = latest?.info ?? null;
  // An unreadable task is not waited for either: nothing would show when it ends.
  const isOver = status !== 'running' && (done || ['completed', 'failed', 'stopped', 'unreadable'].includes(status));
  const until = active.length === 0 ? (info?.endTime ?? now) : now;
  const elapsed = info === null ? 0 : Math.max(0, until - info.startTime) / 1000;
  return { task_id: id, status, elapsed, done: isOver };
}

/** A run that exited with 0 completes no task whose loop gave up, or was ended, before there was a DONE file. */
function endOf({ status, done, folder }: SurveyedTask, root: StateRoot): string {
  if (done) return 'completed';
  if (status !== 'completed') return status;
  const last = lastLoop(root, realPathOr(folder));
  if (last === null || last.ending?.kind === 'done') return status;
  return last.ending === null || ['stopped', 'waiting'].includes(last.ending.kind) ? 'stopped' : 'failed';
}

function endedLine(ends: readonly string[]): string {
  if (ends.every((end) => end === 'completed')) return 'All tasks complete.';
  const counts = ['completed', 'failed', 'stopped', 'unreadable'].flatMap((end) => {
    const count = ends.filter((one) => one === end).length;
    return count === 0 ? [] : `${count} ${end}`;
  });
  return `All tasks have ended: ${counts.join(', ')}.`;
}

function countOf(tasks: readonly Watched[], phase: string): number {
  return tasks.filter(({ status }) => phaseOf(status) === phase).length;
}

function reportLines(tasks: readonly Watched[], phases: Map<string, string>): string[] {
  const counts = ['active', 'blocked', 'completed', 'failed', 'pending'].map((one) => `${one}=${countOf(tasks, one)}`);
  const lines = tasks.flatMap(({ task_id: id, status, elapsed, done }) => {
    const phase = phaseOf(status);
    const before = phases.get(id) ?? 'unknown';
    phases.set(id, phase);
    const length = `${done ? 'duration' : 'elapsed'}: ${Math.floor(elapsed / 60)}m${Math.floor(elapsed % 60)}s`;
    const line = `  ${id.padEnd(45)} [${status.padEnd(9)}] ${phase.padEnd(9)} ${length}`;
    return before === phase ? [line] : [line, `    transition: ${before} -> ${phase}`];
  });
  return [`  phase counts: ${counts.join(' ')}`, ...lines];
}

const PHASES: Readonly<Record<string, string>> = {
  running: 'active',
  completed: 'completed',
  done: 'completed',
  blocked: 'blocked',
  failed: 'failed',
  unreadable: 'failed',
};

function phaseOf(status: string): string {
  return PHASES[status] ?? 'pending';
}
