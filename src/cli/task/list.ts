/** `ralph task list`: the projects of a root, the tasks of a project, or the runs of a task. */
import { formatGoSeconds } from '../../core/text/duration.ts';
import { rfc3339 } from '../../loops/tasks/folder/activity.ts';
import { scopeOf } from '../../loops/tasks/folder/root.ts';
import { checkTaskExists, projectsIn, statusOfRun, surveyTask, tasksIn } from '../../loops/tasks/folder/survey.ts';
import type { SurveyedRun } from '../../loops/tasks/runs/run-folder.ts';
import { clockSecond, clockTime } from '../terminal/words.ts';
import { activityCells, optionalFields, type Row, type SurveyFlags, showJson, showTable, surveyRows } from './rows.ts';
import { notFound, type Terminal, usage } from './terminal.ts';

export async function listCommand(flags: SurveyFlags, terminal: Terminal): Promise<number> {
  const { root, project } = scopeOf(flags, terminal.environment.variables, terminal.cwd);
  if (project === null) {
    if (flags.task) throw usage('--task requires --project');
    await listProjects(root, flags, terminal);
  } else if (flags.task) await listRuns(root, project, flags.task, flags, terminal);
  else await listTasks(root, project, flags, terminal);
  return 0;
}

async function listProjects(root: string, { json }: SurveyFlags, terminal: Terminal): Promise<void> {
  const projects = projectsIn(root);
  if (json === true) return showJson({ projects }, terminal);
  for (const project of projects) await terminal.show(project);
}

async function listTasks(root: string, project: string, flags: SurveyFlags, terminal: Terminal): Promise<void> {
  const rows = surveyRows({ root, project }, tasksIn(root, project), flags, terminal, 'all');
  if (flags.json === true) return showJson({ tasks: rows.map(asFields) }, terminal);
  const header = ['TASK_ID', 'RUNS', 'LATEST_STATUS', 'DONE', 'BLOCKED_BY', 'LAST_ACTIVITY'];
  return showTable(header, rows.map(asCells), terminal, flags);
}

function asCells({ id, runs, status, done, blockedBy, lastActivity, activity }: Row): string[] {
  const last = lastActivity === null ? '-' : clockTime(lastActivity);
  const blocked = blockedBy.join(',') || '-';
  return [id, String(runs.length), status, done ? 'DONE' : '-', blocked, last, ...activityCells(activity)];
}

function asFields(row: Row): object {
  return {
    task_id: row.id,
    runs: row.runs.length,
    latest_status: row.status,
    state: row.state,
    done: row.done,
    last_activity: row.lastActivity === null ? '' : rfc3339(row.lastActivity),
    ...optionalFields(row),
  };
}

async function listRuns(
  root: string,
  project: string,
  task: string,
  { json }: SurveyFlags,
  terminal: Terminal,
): Promise<void> {
  checkTaskExists(root, project, task);
  const { runs, done, faults } = surveyTask(root, project, task);
  for (const fault of faults) terminal.warn(`warning: ${fault}`);
  if (runs.length === 0) throw notFound(`no runs found for project ${project} task ${task}`);
  const rows = runs.map((run) => runFields(run, done));
  if (json === true) return showJson({ runs: rows }, terminal);
  const cells = rows.map((row) => [
    row.run_id,
    row.status,
    String(row.exit_code ?? '-'),
    row.started === '' ? '-' : clockSecond(Date.parse(row.started)),
    row.duration,
  ]);
  return showTable(['RUN_ID', 'STATUS', 'EXIT_CODE', 'STARTED', 'DURATION'], cells, terminal);
}

function runFields(run: SurveyedRun, done: boolean) {
  const { id, info } = run;
  if (info === null) return { run_id: id, status: 'unknown', exit_code: null, started: '', duration: '-' };
  const status = statusOfRun(run, done);
  const length = info.endTime === null ? '-' : formatGoSeconds(Math.max(0, info.endTime - info.startTime));
  return {
    run_id: id,
    status,
    exit_code: info.exitCode,
    started: rfc3339(info.startTime),
    duration: status === 'running' ? 'running' : length,
  };
}
