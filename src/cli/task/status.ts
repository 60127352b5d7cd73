/** `ralph task status`: where each task of a project stands. */
import { defined } from '../../core/defined.ts';
import { scopeOf } from '../../loops/tasks/folder/root.ts';
import { checkTaskExists, tasksIn } from '../../loops/tasks/folder/survey.ts';
import { isRunActive } from '../../loops/tasks/runs/liveness.ts';
import {
  activityCells,
  conciseActivity,
  optionalFields,
  type Row,
  type SurveyFlags,
  showJson,
  showTable,
  surveyRows,
} from './rows.ts';
import { type Terminal, usage } from './terminal.ts';

export interface StatusFlags extends SurveyFlags {
  readonly concise?: boolean;
}

export async function statusCommand(flags: StatusFlags, terminal: Terminal): Promise<number> {
  const { json, concise, task, status = '' } = flags;
  if (json === true && concise === true) throw usage('--concise cannot be used with --json');
  const { root, project } = scopeOf(flags, terminal.environment.variables, terminal.cwd);
  if (project === null) throw usage('--project is required');
  const tasks = tasksIn(root, project);
  if (task) checkTaskExists(root, project, task);
  const rows = surveyRows({ root, project }, task ? [task] : tasks, flags, terminal, 'none');
  if (json === true) {
    await showJson({ tasks: rows.map(asFields) }, terminal);
    return 0;
  }
  if (concise === true) {
    for (const row of rows) await terminal.show([...firstCells(row), ...conciseActivity(row.activity)].join('\t'));
  } else {
    const header = ['TASK_ID', 'STATUS', 'EXIT_CODE', 'LATEST_RUN', 'DONE', 'PID_ALIVE', 'BLOCKED_BY'];
    await showTable(header, rows.map(asCells), terminal, flags);
  }
  if (rows.length === 0 && (concise === true || status.trim() !== '')) {
    const what = status.trim() === '' ? 'found' : `matched --status ${JSON.stringify(status.trim())}`;
    await terminal.show(`No status rows ${what} ${task ? `for task ${task}` : `in project ${project}`}.`);
  }
  return 0;
}

function firstCells({ id, status, latest, done }: Row): string[] {
  const info = latest?.info ?? null;
  const [exitCode, isAlive] = info === null ? ['-', '-'] : [String(info.exitCode), String(isRunActive(info))];
  return [id, status, exitCode, latest?.id ?? '-', String(done), isAlive];
}

function asCells(row: Row): string[] {
  return [...firstCells(row), row.blockedBy.join(',') || '-', ...activityCells(row.activity)];
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
    ...defined({ sandbox_refusals: info?.refusals }),
    ...optionalFields(row),
  };
}
