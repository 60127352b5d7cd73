/** `ralph task status`: where each task of a project stands. */
import { RalphError } from '../../core/error.ts';
import { scopeOf } from '../../loops/tasks/folder/root.ts';
import { checkTaskExists, tasksIn } from '../../loops/tasks/folder/survey.ts';
import { isRunActive } from '../../loops/tasks/runs/liveness.ts';
import { ACTIVITY_HEADER, activityCells, conciseActivity } from './activity-cells.ts';
import { asJson, optionalFields, type Row, type SurveyFlags, surveyRows } from './survey-flags.ts';
import { tableLines } from './table.ts';
import type { Terminal } from './terminal.ts';

export interface StatusFlags extends SurveyFlags {
  readonly concise?: boolean;
}

export async function statusCommand(flags: StatusFlags, terminal: Terminal): Promise<number> {
  if (flags.json === true && flags.concise === true) {
    throw new RalphError('USAGE', '--concise cannot be used with --json', { exitCode: 2 });
  }
  const { root, project } = scopeOf(flags, terminal.environment.variables, terminal.cwd);
  if (project === null) throw new RalphError('USAGE', '--project is required', { exitCode: 2 });
  const tasks = tasksIn(root, project);
  if (flags.task) checkTaskExists(root, project, flags.task);
  const shown = surveyRows({ root, project }, flags.task ? [flags.task] : tasks, flags, terminal, 'none');
  if (flags.json === true) {
    await terminal.show(asJson({ tasks: shown.map(asFields) }));
    return 0;
  }
  const lines = flags.concise === true ? shown.map(conciseLine) : tableLines(headerFor(flags), shown.map(asCells));
  for (const line of lines) await terminal.show(line);
  if (shown.length === 0 && (flags.concise === true || (flags.status ?? '').trim() !== ''))
    await terminal.show(nothing(project, flags));
  return 0;
}

function headerFor({ activity }: StatusFlags): string[] {
  const header = ['TASK_ID', 'STATUS', 'EXIT_CODE', 'LATEST_RUN', 'DONE', 'PID_ALIVE', 'BLOCKED_BY'];
  return activity === true ? [...header, ...ACTIVITY_HEADER] : header;
}

function firstCells({ id, status, latest, done }: Row): string[] {
  const info = latest?.info ?? null;
  return [
    id,
    status,
    info === null ? '-' : String(info.exitCode),
    latest?.id ?? '-',
    String(done),
    info === null ? '-' : String(isRunActive(info)),
  ];
}

function asCells(row: Row): string[] {
  const blocked = row.blockedBy.join(',') || '-';
  return [...firstCells(row), blocked, ...(row.activity === null ? [] : activityCells(row.activity))];
}

function conciseLine(row: Row): string {
  return [...firstCells(row), ...(row.activity === null ? [] : conciseActivity(row.activity))].join('\t');
}

function asFields(row: Row): object {
  const info = row.latest?.info ?? null;
  return {
    task_id: row.id,
    status: row.status,
    state: row.state,
    exit_code: info?.exitCode ?? null,
    latest_run: row.latest?.id ?? '',
    done: row.done,
    pid_alive: info === null ? null : isRunActive(info),
    ...(info?.refusals === undefined ? {} : { sandbox_refusals: info.refusals }),
    ...optionalFields(row),
  };
}

function nothing(project: string, { task, status = '' }: StatusFlags): string {
  const what = status.trim() === '' ? 'found' : `matched --status ${JSON.stringify(status.trim())}`;
  if (task) return `No status rows ${what} for task ${task}.`;
  return `No status rows ${what} in project ${project}.`;
}
