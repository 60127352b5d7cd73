/** `ralph task watch`: tells how tasks get on until all of them have ended. */
import { setTimeout as sleep } from 'node:timers/promises';
import { formatGoSeconds } from '../../core/duration.ts';
import { RalphError } from '../../core/error.ts';
import { checkTaskId } from '../../core/task-ids.ts';
import type { Duration, Instant } from '../../core/time.ts';
import { isLooping } from '../../doors/tasks/loop-life.ts';
import { scopeOf } from '../../doors/tasks/root.ts';
import { type SurveyedTask, surveyTask } from '../../doors/tasks/survey.ts';
import type { EndedRuns } from '../../doors/tasks/survey-runs.ts';
import type { StateRoot } from '../../state/paths.ts';
import type { Terminal } from './terminal.ts';

export interface WatchFlags {
  readonly root?: string;
  readonly project?: string;
  readonly task: readonly string[];
  /** In milliseconds. */
  readonly timeout: Duration;
  readonly json?: boolean;
}

/** A change is told at once; without one, the state of things is told again so often. */
const LOOK_EVERY: Duration = 200;
const TELL_EVERY: Duration = 2000;

interface Watched {
  readonly task_id: string;
  readonly status: string;
  /** In seconds. */
  readonly elapsed: number;
  readonly done: boolean;
}

export async function watchCommand(flags: WatchFlags, terminal: Terminal): Promise<number> {
  const { task: tasks, ...rest } = flags;
  const { root, project } = scopeOf(rest, terminal.environment.variables, terminal.cwd);
  if (project === null) throw new RalphError('USAGE', '--project is required', { exitCode: 2 });
  if (tasks.length === 0) throw new RalphError('USAGE', 'at least one --task is required', { exitCode: 2 });
  for (const task of tasks) checkTaskId(task);
  const deadline = performance.now() + flags.timeout;
  const isJson = flags.json === true;
  const phases = new Map<string, string>();
  if (!isJson) {
    await terminal.show(`Watching ${tasks.length} task(s) for project ${JSON.stringify(project)}:`);
  }
  const ended: EndedRuns = new Map();
  const warned = new Set<string>();
  let told = { what: '', at: 0 };
  for (; ; await sleep(LOOK_EVERY)) {
    const surveyed = tasks.map((id) => surveyTask(root, project, id, ended));
    for (const fault of surveyed.flatMap(({ faults }) => faults)) {
      if (!warned.has(fault)) terminal.warn(`warning: ${fault}`);
      warned.add(fault);
    }
    const seen = surveyed.map((task) => watched(task, terminal.environment.root, Date.now()));
    const allDone = seen.every(({ done }) => done);
    const what = JSON.stringify(seen.map(({ status, done }) => [status, done]));
    const remaining = deadline - performance.now();
    if (told.what !== what || performance.now() - told.at >= TELL_EVERY || remaining <= 0) {
      told = { what, at: performance.now() };
      const lines = isJson
        ? [JSON.stringify({ tasks: seen, all_done: allDone })]
        : report(seen, phases, allDone, remaining);
      for (const line of lines) await terminal.show(line);
    }
    if (allDone) return 0;
    if (remaining <= 0) {
      throw new RalphError('TIMEOUT', `timeout after ${formatGoSeconds(flags.timeout)}: not all tasks completed`, {
        exitCode: 1,
      });
    }
  }
}

/** A failed run is not the end of a task whose loop is about to start the next. */
function watched(task: SurveyedTask, root: StateRoot, now: Instant): Watched {
  const { status, latest, active, done } = task;
  const info = latest?.info ?? null;
  const hasEnded = done || ['completed', 'failed', 'stopped'].includes(status);
  const isOver = hasEnded && active.length === 0 && !isLooping(task.folder, root);
  const until = active.length === 0 ? (info?.endTime ?? now) : now;
  const elapsed = info === null ? 0 : Math.max(0, until - info.startTime) / 1000;
  return { task_id: task.id, status, elapsed, done: isOver };
}

function report(
  tasks: readonly Watched[],
  phases: Map<string, string>,
  allDone: boolean,
  remaining: Duration,
): string[] {
  const count = (phase: string): number => tasks.filter(({ status }) => phaseOf(status) === phase).length;
  const counts = ['active', 'blocked', 'completed', 'failed', 'pending'].map((phase) => `${phase}=${count(phase)}`);
  return [
    `  phase counts: ${counts.join(' ')}`,
    ...tasks.flatMap((task) => {
      const phase = phaseOf(task.status);
      const before = phases.get(task.task_id) ?? 'unknown';
      phases.set(task.task_id, phase);
      return before === phase ? [lineOf(task)] : [lineOf(task), `    transition: ${before} -> ${phase}`];
    }),
    allDone
      ? 'All tasks complete.'
      : `Waiting for ${count('active')} active and ${count('blocked')} blocked task(s)... (timeout in ${formatGoSeconds(Math.max(0, remaining))})`,
  ];
}

function lineOf({ task_id: id, status, elapsed, done }: Watched): string {
  const [minutes, seconds] = [Math.floor(elapsed / 60), Math.floor(elapsed % 60)];
  const length = `${done ? 'duration' : 'elapsed'}: ${minutes}m${seconds}s`;
  return `  ${id.padEnd(45)} [${status.padEnd(9)}] ${phaseOf(status).padEnd(9)} ${length}`;
}

function phaseOf(status: string): string {
  switch (status) {
    case 'running':
      return 'active';
    case 'completed':
    case 'done':
      return 'completed';
    case 'blocked':
    case 'failed':
      return status;
    default:
      return 'pending';
  }
}
