/** Validates the names of projects, tasks and runs: each becomes a folder's name, so nothing else is accepted. */
import { RalphError } from '../error.ts';

const PROJECT = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;
const RUN = /^[A-Za-z0-9][\w.-]{0,127}$/;
const TASK = /^task-\d{8}-\d{6}-[a-z0-9][a-z0-9-]{1,48}[a-z0-9]$/;

export const isProjectId = (id: string): boolean => PROJECT.test(id);

export const isTaskId = (id: string): boolean => TASK.test(id);

/** A run's id is its folder's name. Other programs create runs as well, so we do not control its form. */
export function checkRunId(id: string): string {
  if (RUN.test(id)) return id;
  throw new RalphError('RUN_ID', `invalid run ID ${JSON.stringify(id)}: must be the name of a run's folder`, {
    hint: 'Such as 20260220-1530450000-4711-1; `ralph task list --task …` shows them.',
  });
}

export function checkProjectId(id: string): string {
  if (isProjectId(id)) return id;
  const rule = /[/\\]/.test(id)
    ? 'must not contain path separators (projects cannot be nested)'
    : 'must contain only lowercase letters, digits, and hyphens (e.g. my-project)';
  throw new RalphError('PROJECT_ID', `invalid project ID ${JSON.stringify(id)}: ${rule}`);
}

export function checkTaskId(id: string): string {
  if (isTaskId(id)) return id;
  const rule = 'must match task-<YYYYMMDD>-<HHMMSS>-<slug> (e.g. task-20260220-153045-my-feature)';
  throw new RalphError('TASK_ID', `invalid task ID ${JSON.stringify(id)}: ${rule}`, {
    hint: 'The slug has 3 to 50 lowercase letters, digits and hyphens, and begins and ends with no hyphen.',
  });
}
