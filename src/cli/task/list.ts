/** `ralph task list`: projects, the tasks of one, or the runs of a task. `ralph task status`: the state of tasks. */
import { defined } from '../../core/defined.ts';
import { formatGoSeconds } from '../../core/text/duration.ts';
import {
  type Activity,
  activityOf,
  checkTaskExists,
  projectsIn,
  type SurveyedTask,
  statusOfRun,
  surveyTask,
  tasksIn,
} from '../../loops/tasks/folder/survey.ts';
import { type ScopeFlags, scopeOf } from '../../loops/tasks/folder/task-folder.ts';
import { isRunActive } from '../../loops/tasks/runs/liveness.ts';
import type { SurveyedRun } from '../../loops/tasks/runs/run-info.ts';
import { isoSeconds } from '../../state/projection.ts';
import { inOneCell, tableLines } from '../terminal/table.ts';
import { clockSecond, clockTime } from '../terminal/words.ts';
import { notFound, type Terminal, usage } from './terminal.ts';

interface SurveyFlags extends ScopeFlags {
  readonly status?: string;
  readonly json?: boolean;
  readonly activity?: boolean;
  readonly driftAfter: number;
  /** Only for `status`. */
  readonly concise?: boolean;
}

type Row = SurveyedTask & { readonly activity: Activity | null };

/** Special words for `--status`; any other word is a status or a state itself. */
const FILTERS: Readonly<Record<string, (task: SurveyedTask) => boolean>> = {
  '': () => true,
  active: ({ status }) => status === 'running',
  done: ({ done }) => done,
  all_finished: ({ done }) => done,
  pending: ({ status }) => status === '-',
  queued: ({ status }) => status === '-',
};
const STATUSES = 'running completed failed stopped blocked partial_failure unknown unreadable'.split(' ');
const ACTIVITY_HEADER = ['LAST_BUS', 'LAST_OUTPUT', 'MEANINGFUL_AGE', 'DRIFT_RISK', 'DRIFT_REASON'];

export async function listCommand(flags: SurveyFlags, terminal: Terminal): Promise<number> {
  const { root, project } = scopeOf(flags, terminal.environment.variables, terminal.cwd);
  if (project === null) {
    if (flags.task) throw usage('--task requires --project');
    const projects = projectsIn(root);
    if (flags.json === true) await showJson({ projects }, terminal);
    else for (const name of projects) await terminal.show(name);
  } else if (flags.task) await listRuns(root, project, flags.task, flags, terminal);
  else {
    const found = tasksIn(root, project).map((id) => surveyRow(root, project, id, flags, terminal));
    const rows = wantedRows(found, flags, terminal, 'all');
    const header = ['TASK_ID', 'RUNS', 'LATEST_STATUS', 'DONE', 'BLOCKED_BY', 'LAST_ACTIVITY'];
    if (flags.json === true) await showJson({ tasks: rows.map(listFields) }, terminal);
    else await showTable(header, rows.map(listCells), terminal, flags.activity);
  }
  return 0;
}

export async function statusCommand(flags: SurveyFlags, terminal: Terminal): Promise<number> {
  const { json, concise, task, status = '' } = flags;
  if (json === true && concise === true) throw usage('--concise cannot be used with --json');
  const { root, project } = scopeOf(flags, terminal.environment.variables, terminal.cwd);
  if (project === null) throw usage('--project is required');
  const tasks = tasksIn(root, project);
  if (task) checkTaskExists(root, project, task);
  const found = (task ? [task] : tasks).map((id) => surveyRow(root, project, id, flags, terminal));
  const rows = wantedRows(found, flags, terminal, 'none');
  if (json === true) {
    await showJson({ tasks: rows.map(statusFields) }, terminal);
    return 0;
  }
  if (concise === true) {
    for (const row of rows) await terminal.show([...statusCells(row), ...conciseActivity(row.activity)].join('\t'));
  } else {
    const header = ['TASK_ID', 'STATUS', 'EXIT_CODE', 'LATEST_RUN', 'DONE', 'PID_ALIVE', 'BLOCKED_BY'];
    const cells = rows.map((row) => [...statusCells(row), blockersOf(row), ...activityCells(row.activity)]);
    await showTable(header, cells, terminal, flags.activity);
  }
  if (rows.length === 0 && (concise === true || status.trim() !== '')) {
    const what = status.trim() === '' ? 'found' : `matched --status ${JSON.stringify(status.trim())}`;
    await terminal.show(`No status rows ${what} ${task ? `for task ${task}` : `in project ${project}`}.`);
  }
  return 0;
}

function surveyRow(root: string, project: string, id: string, flags: SurveyFlags, terminal: Terminal): Row {
  const task = surveyTask(root, project, id, { state: terminal.environment.root });
  for (const fault of task.faults) terminal.warn(`warning: ${fault}`);
  return { ...task, activity: flags.activity === true ? activityOf(task, flags.driftAfter, Date.now()) : null };
}

/** The rows that `--status` asks for. For an unknown word: none, or all of them with a warning. */
function wantedRows(rows: Row[], flags: SurveyFlags, terminal: Terminal, unknownKeeps: 'all' | 'none'): Row[] {
  const wanted = flags.status?.trim().toLowerCase() ?? '';
  const filter = Object.hasOwn(FILTERS, wanted) ? FILTERS[wanted] : undefined;
  if (filter !== undefined) return rows.filter(filter);
  if (unknownKeeps === 'none' || STATUSES.includes(wanted)) {
    return rows.filter(({ status, state: whole }) => status === wanted || whole === wanted);
  }
  terminal.warn(`warning: unknown --status filter ${JSON.stringify(flags.status)}; showing all tasks`);
  return rows;
}

function listCells(row: Row): string[] {
  const { id, runs, status, done, lastActivity, activity } = row;
  const last = lastActivity === null ? '-' : clockTime(lastActivity);
  return [id, String(runs.length), status, done ? 'DONE' : '-', blockersOf(row), last, ...activityCells(activity)];
}

function listFields(row: Row): object {
  const { id: task_id, status: latest_status, state, done } = row;
  const last_activity = row.lastActivity === null ? '' : isoSeconds(row.lastActivity);
  return { task_id, runs: row.runs.length, latest_status, state, done, last_activity, ...optionalFields(row) };
}

function statusCells({ id, status, latest, done }: Row): string[] {
  const info = latest?.info ?? null;
  const [exitCode, isAlive] = info === null ? ['-', '-'] : [String(info.exitCode), String(isRunActive(info))];
  return [id, status, exitCode, latest?.id ?? '-', String(done), isAlive];
}

function statusFields(row: Row): object {
  const { id: task_id, status, state, done, latest } = row;
  const info = latest?.info ?? null;
  const run = { exit_code: info?.exitCode ?? null, latest_run: latest?.id ?? '' };
  const pid_alive = info === null ? null : isRunActive(info);
  const refusals = defined({ sandbox_refusals: info?.refusals });
  return { task_id, status, state, ...run, done, pid_alive, ...refusals, ...optionalFields(row) };
}

/** Fields that are left out if they are empty. */
function optionalFields({ dependsOn, blockedBy, activity }: Row): object {
  return {
    ...(dependsOn.length === 0 ? {} : { depends_on: dependsOn }),
    ...(blockedBy.length === 0 ? {} : { blocked_by: blockedBy }),
    ...(activity === null ? {} : { activity }),
  };
}

function blockersOf({ blockedBy }: Row): string {
  return blockedBy.join(',') || '-';
}

async function listRuns(root: string, project: string, task: string, { json }: SurveyFlags, terminal: Terminal) {
  checkTaskExists(root, project, task);
  const { runs, done, faults } = surveyTask(root, project, task);
  for (const fault of faults) terminal.warn(`warning: ${fault}`);
  if (runs.length === 0) throw notFound(`no runs found for project ${project} task ${task}`);
  const rows = runs.map((run) => runFields(run, done));
  if (json === true) return showJson({ runs: rows }, terminal);
  const cells = rows.map(({ run_id, status, exit_code, started, duration }) => {
    const at = started === '' ? '-' : clockSecond(Date.parse(started));
    return [run_id, status, String(exit_code ?? '-'), at, duration];
  });
  return showTable(['RUN_ID', 'STATUS', 'EXIT_CODE', 'STARTED', 'DURATION'], cells, terminal);
}

function runFields(run: SurveyedRun, done: boolean) {
  const { id, info } = run;
  if (info === null) return { run_id: id, status: 'unknown', exit_code: null, started: '', duration: '-' };
  const status = statusOfRun(run, done);
  const length = info.endTime === null ? '-' : formatGoSeconds(Math.max(0, info.endTime - info.startTime));
  const duration = status === 'running' ? 'running' : length;
  return { run_id: id, status, exit_code: info.exitCode, started: isoSeconds(info.startTime), duration };
}

function showJson(data: object, terminal: Terminal): Promise<void> {
  return terminal.show(JSON.stringify(data, null, 2));
}

async function showTable(header: string[], rows: string[][], terminal: Terminal, hasActivity = false): Promise<void> {
  const lines = tableLines(hasActivity ? [...header, ...ACTIVITY_HEADER] : header, rows);
  for (const line of lines) await terminal.show(line);
}

function activityCells(activity: Activity | null): string[] {
  if (activity === null) return [];
  const { latest_bus_message: bus, latest_output_activity_at: output } = activity;
  return [
    bus === null ? '-' : `${bus.timestamp} ${bus.type} ${bus.body_preview}`,
    output === null ? '-' : clockTime(Date.parse(output)),
    ageCell(activity),
    activity.analysis_drift_risk ? 'risk' : 'ok',
    activity.drift_reason,
  ];
}

/** For the rows of `--concise`, whose cells are separated by tabs. */
function conciseActivity(activity: Activity | null): string[] {
  if (activity === null) return [];
  const { latest_bus_message: bus, latest_output_activity_at: output } = activity;
  const said = [bus?.type, bus?.timestamp, bus?.body_preview].map((text) => inOneCell(text ?? ''));
  return [ageCell(activity), String(activity.analysis_drift_risk), ...said, output ?? '-'];
}

function ageCell({ meaningful_signal_age_seconds: age }: Activity): string {
  return age === null ? '-' : formatGoSeconds(age * 1000);
}
