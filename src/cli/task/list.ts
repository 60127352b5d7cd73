/** `ralph task list`: the projects of a root, the tasks of a project, or the runs of a task. */

import { RalphError } from '../../core/error.ts';
import { formatGoSeconds } from '../../core/text/duration.ts';
import { rfc3339 } from '../../loops/tasks/folder/activity.ts';
import { scopeOf } from '../../loops/tasks/folder/root.ts';
import { checkTaskExists, projectsIn, statusOfRun, surveyTask, tasksIn } from '../../loops/tasks/folder/survey.ts';
import type { SurveyedRun } from '../../loops/tasks/runs/run-folder.ts';
import { clockSecond, clockTime } from '../words.ts';
import { ACTIVITY_HEADER, activityCells } from './activity-cells.ts';
import { asJson, optionalFields, type Row, type SurveyFlags, surveyRows } from './survey-flags.ts';
import { tableLines } from './table.ts';
import type { Terminal } from './terminal.ts';

export async function listCommand(flags: SurveyFlags, terminal: Terminal): Promise<number> {
  const { root, project } = scopeOf(flags, terminal.environment.variables, terminal.cwd);
  if (project === null) {
    if (flags.task) throw new RalphError('USAGE', '--task requires --project', { exitCode: 2 });
    await listProjects(root, flags, terminal);
  } else if (flags.task) await listRuns(root, project, flags.task, flags, terminal);
  else await listTasks(root, project, flags, terminal);
  return 0;
}

async function listProjects(root: string, { json }: SurveyFlags, terminal: Terminal): Promise<void> {
  const projects = projectsIn(root);
  if (json === true) return terminal.show(asJson({ projects }));
  for (const project of projects) await terminal.show(project);
}

async function listTasks(root: string, project: string, flags: SurveyFlags, terminal: Terminal): Promise<void> {
  const shown = surveyRows({ root, project }, tasksIn(root, project), flags, terminal, 'all');
  if (flags.json === true) return terminal.show(asJson({ tasks: shown.map(asFields) }));
  const header = ['TASK_ID', 'RUNS', 'LATEST_STATUS', 'DONE', 'BLOCKED_BY', 'LAST_ACTIVITY'];
  const lines = tableLines(flags.activity === true ? [...header, ...ACTIVITY_HEADER] : header, shown.map(asCells));
  for (const line of lines) await terminal.show(line);
}

function asCells({ id, runs, status, done, blockedBy, lastActivity, activity }: Row): string[] {
  return [
    id,
    String(runs.length),
    status,
    done ? 'DONE' : '-',
    blockedBy.join(',') || '-',
    lastActivity === null ? '-' : clockTime(lastActivity),
    ...(activity === null ? [] : activityCells(activity)),
  ];
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
  if (runs.length === 0) {
    throw new RalphError('NOT_FOUND', `no runs found for project ${project} task ${task}`, { exitCode: 1 });
  }
  const rows = runs.map((run) => runFields(run, done));
  if (json === true) return terminal.show(asJson({ runs: rows }));
  const cells = rows.map((row) => [
    row.run_id,
    row.status,
    String(row.exit_code ?? '-'),
    row.started === '' ? '-' : clockSecond(Date.parse(row.started)),
    row.duration,
  ]);
  for (const line of tableLines(['RUN_ID', 'STATUS', 'EXIT_CODE', 'STARTED', 'DURATION'], cells)) {
    await terminal.show(line);
  }
}

interface RunFields {
  readonly run_id: string;
  readonly status: string;
  readonly exit_code: number | null;
  readonly started: string;
  readonly duration: string;
}

function runFields(run: SurveyedRun, done: boolean): RunFields {
  const { id, info } = run;
  if (info === null) return { run_id: id, status: 'unknown', exit_code: null, started: '', duration: '-' };
  const status = statusOfRun(run, done);
  const started = rfc3339(info.startTime);
  const length = info.endTime === null ? null : formatGoSeconds(Math.max(0, info.endTime - info.startTime));
  return {
    run_id: id,
    status,
    exit_code: info.exitCode,
    started,
    duration: status === 'running' ? 'running' : (length ?? '-'),
  };
}
